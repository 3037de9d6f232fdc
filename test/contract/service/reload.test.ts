/** A reload of the key pairs: SIGHUP to a service that runs a query. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, pause, type Target } from "./caller";
import { gateContent, gated, gateObject, gateTable } from "./gate";
import { declared, kill, submitted, useServiceFolder, type Process } from "./service-process";

const folder = useServiceFolder();
const former = { accessKeyId: "OLD", secretAccessKey: "old-secret" };
const next = { accessKeyId: "NEW", secretAccessKey: "new-secret" };

const writeConfig = (text: string) => writeFileSync(join(folder.path, "dag.yaml"), text);
const writeKeys = (...pairs: (typeof former)[]) =>
  writeConfig(`credentials: ${JSON.stringify(pairs)}\ntables: ${declared.replace("]", `, ${gateTable}]`)}\n`);

/** Sends the signal and waits for the line of the log that answers it. */
async function reload({ child, stdout }: Process): Promise<Record<string, unknown>> {
  const begin = stdout().length;
  child.kill("SIGHUP");
  for (;;) {
    const lines = stdout().slice(begin).split("\n").slice(0, -1);
    const answer = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg.startsWith("key pairs"));
    if (answer) return answer;
    expect(child.exitCode ?? child.signalCode).toBeNull();
    await pause(10);
  }
}

const codeWith = async (service: Target, credentials: typeof former) =>
  (await call({ ...service, credentials }, "GET", "/v1/?query")).json.code ?? "accepted";

test("SIGHUP: two keys, then the new one alone; a query that runs meanwhile goes on", async () => {
  writeKeys(former);
  const service = { ...(await folder.start(["--config", "dag.yaml"])), credentials: former };
  folder.fill();
  folder.write(gateObject, gateContent.closed);
  const query = await submitted(service, { query: gated });
  expect(await codeWith(service, next)).toBe("InvalidAccessKeyId");

  writeKeys(former, next);
  expect(await reload(service)).toMatchObject({ level: 30, added: ["NEW"], removed: [] });
  expect([await codeWith(service, former), await codeWith(service, next)]).toEqual(["accepted", "accepted"]);

  writeKeys(next);
  expect(await reload(service)).toMatchObject({ added: [], removed: ["OLD"] });
  expect([await codeWith(service, former), await codeWith(service, next)]).toEqual(["InvalidAccessKeyId", "accepted"]);

  const after = { ...service, credentials: next };
  expect((await call(after, "GET", `/v1/${query}?query`)).json).toMatchObject({ status: "running" });
  expect((await call(after, "DELETE", `/v1/${query}?query`)).status).toBeLessThan(300);
  expect(service.stdout()).not.toMatch(/old-secret|new-secret/);
});

test("SIGHUP: a config that cannot be used changes nothing, and the log says why", async () => {
  writeKeys(former);
  const service = { ...(await folder.start(["--config", "dag.yaml"])), credentials: former };
  const refused = [
    { text: "credentials: [", reason: /dag\.yaml is not YAML/ },
    { text: "retention: {days: 1}", reason: /the config has no credentials: list every key pair/ },
    { text: "credentials: [{accessKeyId: A, secretAccessKey: B}]\nretention: 5", reason: /dag\.yaml: retention: / },
    {
      text: "credentials: [{accessKeyId: A, secretAccessKey: B}]\nconsole: {allowedOrigins: [console.example.com]}",
      reason: /dag\.yaml: console\.allowedOrigins.*it must be an origin/,
    },
  ];
  for (const { text, reason } of refused) {
    writeConfig(text);
    expect(await reload(service)).toMatchObject({ level: 50, reason: expect.stringMatching(reason) });
    expect(await codeWith(service, former)).toBe("accepted");
  }
});

test("SIGHUP: ends a service that has no config file, as before", async () => {
  const { child } = await folder.start();
  await kill(child, "SIGHUP");
  expect(child.signalCode).toBe("SIGHUP");
});
