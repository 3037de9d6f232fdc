/** Runs the recipe of docs/client.md that submits a query once. */
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { resolve } from "node:path";
import { startService, type TestService, type TestServiceOptions } from "dag-service/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Client, errors } from "../../../provider/client";
import * as exported from "../../../provider/client";

const page = readFileSync(resolve(__dirname, "../../../docs/client.md"), "utf8");
const recipe = [...page.matchAll(/```ts\n([^]*?)```/g)]
  .map(([, code]) => code!)
  .find((code) => code.includes("submitOnce"))!;
const [, imported = ""] = /^import \{ (.+) \} from "pulumi-dag\/client";$/m.exec(recipe)!;

interface Request {
  readonly label: string;
  readonly clusterName: string;
  readonly query: string;
  readonly outputResourcePath: string;
}

/** The recipe's function for a client, with a pause of the test's instead of a second. */
function submitOnceWith(client: Client, pause: (work: () => void) => void): (request: Request) => Promise<number> {
  const names = imported.split(", ");
  const values = new Map<string, unknown>(Object.entries(exported));
  const code = stripTypeScriptTypes(recipe.replace(/^import .*$/m, ""));
  const make = new Function("client", "setTimeout", ...names, `${code}; return submitOnce;`);
  return make(client, pause, ...names.map((name) => values.get(name))) as ReturnType<typeof submitOnceWith>;
}

let service: TestService;
const clients: Client[] = [];
beforeAll(async () => {
  const clusters = [{ name: "c1", instances: [{ grade: "small", quantity: 14 }] }];
  service = await startService({ clusters, buckets: ["results"], objects: { "dag://data/birds/a.csv": "owl,1\n" } });
});
beforeEach(() => service.reset());
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await service?.close();
});

function connect(): Client {
  const client = new Client({ endpoint: service.url, ...service.credentials });
  clients.push(client);
  return client;
}

const request = (label: string): Request => ({
  label,
  clusterName: "c1",
  query: "SELECT count(*) AS n FROM data.birds",
  outputResourcePath: `dag://results/${label}/`,
});

const labels = async (client: Client) => (await Array.fromAsync(client.queries())).map(({ label }) => label).toSorted();

/** Replaces all fault rules. */
async function faults(...rules: NonNullable<TestServiceOptions["faults"]>): Promise<void> {
  const body = JSON.stringify(rules);
  const { ok } = await fetch(`${service.url}/_faults`, { method: "PUT", headers: { "x-dag-control": "1" }, body });
  expect(ok).toBe(true);
}

/** A pause that ends the faults. */
const endFaults = (work: () => void) => void faults().then(work);

test.each(["before", "after"] as const)(
  "submitOnce: a submission whose connection breaks %s its execution is one query, and none whose label only begins the same",
  async (dropConnection) => {
    const client = connect();
    const submitOnce = submitOnceWith(client, endFaults);
    const other = await submitOnce(request("daily-2"));
    await faults({ operation: "submitSelect", probability: 1, dropConnection });
    const own = await submitOnce(request("daily"));
    expect(own).not.toBe(other);
    expect((await client.getQuery({ queryId: own })).label).toBe("daily");
    expect(await submitOnce(request("daily"))).toBe(own);
    expect(await labels(client)).toEqual(["daily", "daily-2"]);
  },
);

test("submitOnce: many callers wait while the service is away, also when no retry is left", async () => {
  const callers = Array.from({ length: 12 }, (_, index) => `caller-${index}`);
  const client = connect();
  const waiting: (() => void)[] = [];
  const submitOnce = submitOnceWith(client, (work) => {
    // All have failed once the last one waits.
    if (waiting.push(work) >= callers.length) endFaults(() => waiting.splice(0).forEach((go) => go()));
  });
  await faults({ operation: "*", probability: 1, dropConnection: "before" });
  const ids = await Promise.all(callers.map((label) => submitOnce(request(label))));
  expect(new Set(ids).size).toBe(callers.length);
  expect(await labels(client)).toEqual(callers.toSorted());
});

test("submitOnce: a refusal is thrown", async () => {
  const submitOnce = submitOnceWith(connect(), () => expect.unreachable());
  await expect(submitOnce({ ...request("x"), clusterName: "none" })).rejects.toThrow(errors.ClusterNotFound);
});
