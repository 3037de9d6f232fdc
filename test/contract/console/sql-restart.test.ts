/** `dag-service sql` while the service that has accepted its query is killed and started again. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { call, pause } from "../service/caller";
import { gateContent, gated, gateObject, gateTable } from "../service/gate";
import { kill, useServiceFolder, type Process } from "../service/service-process";
import { commandFor } from "./command";
import { losses, lossNames, startProxy } from "./proxy";

const folder = useServiceFolder();
const tables = ["--tables", `[{database: data, table: numbers, schema: "bigint n"}, ${gateTable}]`];

/** Starts a service and `sql` for it, through a proxy if there is one. Returns them when the query runs. */
async function waiting(proxied: (service: Process) => Promise<Process> | Process = (service) => service) {
  const service = await folder.start(tables);
  folder.fill();
  folder.write(gateObject, gateContent.closed);
  const command = commandFor({ service: await proxied(service) })(["sql", "--csv", gated]);
  onTestFinished(() => void command.child.kill("SIGKILL"));
  for (;;) {
    const [query] = (await call(service, "GET", "/v1/?query&status=running")).json.queries;
    if (query) return { service, command, id: query.id as number };
    if (command.child.exitCode !== null) throw new Error(`sql has ended: ${(await command.ended).stderr}`);
    await pause(20);
  }
}

/** Answers at a service's address, in its place. Returns when each of the answers was given to one request. */
async function standIn(service: Process, answers: readonly ((response: ServerResponse) => void)[]): Promise<void> {
  let answered = 0;
  const server = createServer({ keepAlive: false }, (_, response) => {
    answers[Math.min(answered, answers.length - 1)]!(response);
    answered += 1;
  });
  server.listen(Number(new URL(service.url).port), "127.0.0.1");
  await once(server, "listening");
  while (answered < answers.length) await pause(20);
  server.close();
  await once(server, "close");
}

const drop = (response: ServerResponse) => void response.destroy();
const unavailable = (response: ServerResponse) => {
  const error = { code: "ServiceUnavailable", message: "starting", status: 503, requestId: "r", resource: "/" };
  response.writeHead(503, { Connection: "close" }).end(JSON.stringify(error));
};
const badGateway = (response: ServerResponse) => {
  response.writeHead(502, { Connection: "close" }).end("<html>bad gateway</html>");
};

test("sql: waits for a service that is killed and started again, and prints the rows of the one query", async () => {
  const { service, command, id } = await waiting();
  await kill(service.child, "SIGKILL");
  folder.write(gateObject, gateContent.open);
  await standIn(service, [drop, unavailable, badGateway]);
  const second = await folder.start([...tables, "--listen", new URL(service.url).host]);
  expect(second.url).toBe(service.url);
  expect(await command.ended).toEqual({ code: 0, stdout: "n\n0\n", stderr: "" });
  const { queries } = (await call(second, "GET", "/v1/?query")).json;
  expect(queries).toMatchObject([{ id, status: "finished" }]);
});

test("sql: Ctrl-C while the service is away ends with exit code 1, and says that the query goes on", async () => {
  const { service, command, id } = await waiting();
  await kill(service.child, "SIGKILL");
  await standIn(service, [drop]);
  command.child.kill("SIGINT");
  const { code, stdout, stderr } = await command.ended;
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(`dag-service: query ${id} was accepted and goes on when the service runs again: `);
  expect(stderr).toMatch(`${service.url}/console/queries/${id} and GET /v1/${id}?query show it (no answer from `);
});

test.each(lossNames)("sql: a submission is not sent again when a proxy %s, and its query is followed", async (loss) => {
  const service = await folder.start(tables);
  let submissions = 0;
  const proxied = await startProxy(service, "POST", async (_, response, pass) => {
    submissions += 1;
    await pass();
    losses[loss](response);
  });
  const { code, stdout } = await commandFor({ service: proxied })(["sql", "--csv", "SELECT 1 AS n"]).ended;
  expect([code, stdout, submissions]).toEqual([0, "n\n1\n", 1]);
  const { queries } = (await call(service, "GET", "/v1/?query")).json;
  expect(queries).toHaveLength(1);
});

test.each(lossNames)("sql: Ctrl-C cancels the query also when a proxy %s of the cancel", async (loss) => {
  const { service, command, id } = await waiting((started) =>
    startProxy(started, "DELETE", async (_, response, pass) => {
      await pass();
      losses[loss](response);
    }),
  );
  command.child.kill("SIGINT");
  const { code, stderr } = await command.ended;
  expect([code, stderr]).toEqual([130, `dag-service: query ${id} was cancelled\n`]);
  expect((await call(service, "GET", `/v1/${id}?query`)).json.status).toBe("canceled");
});

test.each([
  ["has it", true, 130, /was cancelled\n$/],
  ["does not have it", false, 1, /may be cancelled, or may still run: /],
])("sql: Ctrl-C: a cancel that is never answered, when the service %s", async (_, arrives, expected, message) => {
  const { command } = await waiting((started) =>
    startProxy(started, "DELETE", async (_request, _response, pass) => {
      if (arrives) await pass();
    }),
  );
  command.child.kill("SIGINT");
  const { code, stderr } = await command.ended;
  expect([code, stderr]).toEqual([expected, expect.stringMatching(message)]);
});

test.each([
  ["once", 1, 130, /^dag-service: query \d+ was cancelled\n$/, "canceled"],
  [
    "always",
    Number.POSITIVE_INFINITY,
    1,
    /^dag-service: query (\d+) may be cancelled, or may still run: the folder of its rows is dag:\S+, and http:\S+\/console\/queries\/\1 and GET /,
    "running",
  ],
])(
  "sql: Ctrl-C: a cancel that is cut off before the service has it, %s",
  async (_, cuts, expected, message, status) => {
    let cancels = 0;
    const { service, command, id } = await waiting((started) =>
      startProxy(started, "DELETE", async (_request, response, pass) => {
        cancels += 1;
        if (cancels <= cuts) response.destroy();
        else response.writeHead((await pass()).status).end();
      }),
    );
    command.child.kill("SIGINT");
    const { code, stderr } = await command.ended;
    expect([code, stderr]).toEqual([expected, expect.stringMatching(message)]);
    expect(cancels).toBeGreaterThan(1);
    expect((await call(service, "GET", `/v1/${id}?query`)).json.status).toBe(status);
  },
);
