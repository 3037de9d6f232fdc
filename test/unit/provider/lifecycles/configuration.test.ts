import { describe, expect, test } from "vitest";
import { readConfiguration } from "../../../../provider/lifecycles/configuration";

const required = { endpoint: "https://dag.example.com/base/", accessKeyId: "key", secretAccessKey: "secret" };

/** Returns the console's URL of a configuration. */
function consoleUrl(values: Readonly<Record<string, string>> = {}, environment: Readonly<Record<string, string>> = {}) {
  const stack: Readonly<Record<string, string>> = { ...required, ...values };
  return readConfiguration((key) => stack[key], environment).consoleUrl;
}

describe("consoleUrl", () => {
  test("is the endpoint by default, without a trailing slash", () => {
    expect(consoleUrl()).toBe("https://dag.example.com/base");
  });

  test("is the stack's value, or else the environment's", () => {
    const environment = { DAG_CONSOLE_URL: "http://127.0.0.1:9393" };
    expect(consoleUrl({}, environment)).toBe("http://127.0.0.1:9393");
    expect(consoleUrl({ consoleUrl: "https://console.example.com/" }, environment)).toBe("https://console.example.com");
  });

  test("is absent when the stack or the environment sets an empty text", () => {
    expect(consoleUrl({ consoleUrl: "" }, { DAG_CONSOLE_URL: "http://127.0.0.1:9393" })).toBeUndefined();
    expect(consoleUrl({}, { DAG_CONSOLE_URL: "" })).toBeUndefined();
  });

  test.each(["dag.example.com", "ftp://dag.example.com", "https://dag.example.com/?endpoint=x", "https://me:hush@x"])(
    "refuses %s, and names the key, the variable and the rule",
    (url) => {
      const refused = () => consoleUrl({ consoleUrl: url });
      expect(refused).toThrow(/^dag:consoleUrl \(or DAG_CONSOLE_URL\): consoleUrl .*must /);
      expect(refused).not.toThrow(/hush/);
    },
  );
});
