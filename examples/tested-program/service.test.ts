import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalWorkspace } from "@pulumi/pulumi/automation";
import { startService, type TestService } from "dag-service/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

const state = mkdtempSync(join(tmpdir(), "tested-program-"));
let service: TestService;

beforeAll(async () => {
  service = await startService({ objects: { "dag://shop/raw/orders.csv": "north,2.5\nsouth,1\nnorth,10\n" } });
});
afterAll(async () => {
  await service.close();
  rmSync(state, { recursive: true });
});

test("pulumi up: finds the best region in real data", { timeout: 120_000 }, async () => {
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName: "test", workDir: __dirname },
    {
      envVars: {
        PULUMI_BACKEND_URL: `file://${state}`,
        PULUMI_CONFIG_PASSPHRASE: "test",
        DAG_ENDPOINT: service.url,
        DAG_ACCESS_KEY_ID: service.credentials.accessKeyId,
        DAG_SECRET_ACCESS_KEY: service.credentials.secretAccessKey,
        DAG_STORAGE: `file:${service.bucketsDirectory}`,
      },
    },
  );
  const { outputs } = await stack.up();
  expect(outputs["bestRegion"]?.value).toBe("north");
  expect(outputs["clusterStatus"]?.value).toBe("norm");
  await stack.destroy();
});
