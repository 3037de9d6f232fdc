// docs/service.md shows the rest of this file; testing.test.ts checks that both are equal.
import { startService, type TestService } from "dag-service/testing";
import { Client } from "pulumi-dag";
import { afterAll, beforeAll, expect, test } from "vitest";

let service: TestService;

beforeAll(async () => {
  service = await startService({
    clusters: [{ name: "analytics", instances: [{ grade: "small", quantity: 3 }] }],
    objects: { "dag://data/birds/a.csv": "owl,3\nrobin,4\n" },
    buckets: ["results"],
    tables: [{ database: "data", table: "birds", format: "csv", schema: "string name, int n" }],
  });
});
afterAll(() => service.close());

test("counts the birds", async () => {
  await using client = new Client({ endpoint: service.url, ...service.credentials });
  const { queryId } = await client.submitSelect({
    clusterName: "analytics",
    query: "select sum(n) from data.birds",
    outputResourcePath: "dag://results/birds/",
  });
  const { status } = await client.waitForQuery({ queryId, clusterName: "analytics" });
  expect(status).toBe("finished");
});
