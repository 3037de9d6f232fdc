/** Thousands of generated requests without a valid signature: each is refused, and none disturbs the service. */
import { Agent, request } from "node:http";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { useService } from "../fixture";

const f = useService({ clusters: [{ name: "c1", instances: [{ grade: "small", quantity: 2 }] }] });

const agent = new Agent({ keepAlive: true, maxSockets: 16 });
afterAll(() => agent.destroy());

interface Hostile {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Text that HTTP carries in a header. */
const headerText = fc.stringMatching(/^[!-~]{0,40}$/);

const authorization = fc.oneof(
  headerText,
  headerText.map((rest) => `IIJGIO ${rest}`),
  fc.tuple(headerText, fc.base64String({ maxLength: 60 })).map(([key, signature]) => `IIJGIO ${key}:${signature}`),
  // A key that exists with a signature that is not its own.
  fc.base64String({ minLength: 28, maxLength: 28 }).map((signature) => `IIJGIO \u0000:${signature}`),
);

const hostile: fc.Arbitrary<Hostile> = fc.record({
  method: fc.constantFrom("GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS", "PROPFIND"),
  path: fc
    .tuple(
      fc.constantFrom(
        "/v1/",
        "/v1/1",
        "/v1/c1",
        "/v1/c1/log",
        "/",
        "/v2/",
        "/_reset",
        "/_faults",
        "/_clock",
        "/v1/%2e%2e/",
      ),
      fc.constantFrom("", "?query", "?select", "?split", "?clusterManagement", "?query&select"),
      fc.stringMatching(/^(&[a-zA-Z]{0,8}=[!$'()*,\-.\w%]{0,20}){0,3}$/),
    )
    .map((parts) => parts.join("")),
  headers: fc.record(
    {
      Authorization: authorization,
      Date: fc.oneof(
        headerText,
        fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      ),
      "Content-Type": fc.constantFrom("application/json", "text/html", "multipart/form-data"),
      "Content-Encoding": fc.constantFrom("gzip", "br", "identity"),
      "X-Forwarded-For": fc.constantFrom("127.0.0.1", "::1"),
      Origin: fc.constantFrom("http://localhost", "null", "https://example.com"),
      "x-dag-control": fc.constantFrom("1", ""),
    },
    { requiredKeys: ["Origin"] },
  ) as fc.Arbitrary<Record<string, string>>,
  body: fc.oneof(fc.constant(""), fc.json(), fc.string({ maxLength: 500 }), fc.constant("[".repeat(10_000))),
});

/** Sends a request. Resolves with its status; undefined when the connection was closed. */
function send({ method, path, headers, body }: Hostile): Promise<number | undefined> {
  const { hostname, port } = new URL(f.service.url);
  const { Authorization, ...others } = headers;
  const sentHeaders = {
    ...others,
    "Content-Length": String(Buffer.byteLength(body)),
    ...(Authorization && { Authorization: Authorization.replace("\u0000", f.service.credentials.accessKeyId) }),
  };
  return new Promise((resolve) => {
    const sent = request({ hostname, port, method, path, agent, headers: sentHeaders }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
      response.on("error", () => resolve(undefined));
    });
    sent.on("error", () => resolve(undefined));
    sent.end(body);
  });
}

test("unsigned requests: each of 5,000 is refused with 400 or 403, and nothing is changed", async () => {
  const requests = fc.sample(hostile, 5000);
  const statuses = new Map<number | undefined, number>();
  for (let at = 0; at < requests.length; at += 16) {
    for (const status of await Promise.all(requests.slice(at, at + 16).map(send))) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }
  expect([...statuses.keys()].filter((status) => status !== 400 && status !== 403)).toEqual([]);
  expect((await f.call("GET", "/v1/?query")).json.queries).toEqual([]);
  expect((await f.call("GET", "/v1/c1?clusterManagement")).json.status).toBe("norm");
});
