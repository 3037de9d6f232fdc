import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { startBalancer } from "../../../../tools/scale/balancer.mts";
import { GuardedProcess } from "../../../../tools/scale/component.mts";
import { fetchComponents } from "../../../../tools/scale/components.mts";
import { componentsFor, skippedTests } from "../../../../tools/scale/test-groups.mts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const listen = (text: string): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((_request, response) => response.end(text)).listen(0, "127.0.0.1", () =>
      resolve(server),
    );
  });
const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const textAt = async (url: string) => (await fetch(url, { headers: { Connection: "close" } })).text();

test("balancer: goes to the first process, and to the second one when the first one is gone", async () => {
  const [first, second] = [await listen("first"), await listen("second")];
  const balancer = await startBalancer([urlOf(first), urlOf(second)]);
  expect(await textAt(balancer.url)).toBe("first");
  first.closeAllConnections();
  await new Promise((resolve) => first.close(resolve));
  expect(await textAt(balancer.url)).toBe("second");
  second.closeAllConnections();
  await new Promise((resolve) => second.close(resolve));
  await expect(textAt(balancer.url)).rejects.toThrow("fetch failed");
  await balancer.close();
});

test("fetchComponents: says in one line what this machine lacks, and what to do", async () => {
  vi.stubEnv("PATH", "");
  vi.stubEnv("DAG_SCALE_SPARK", "");
  expect(await fetchComponents(["spark"])).toEqual(new Map([["spark", "`java` is not on PATH: install Java 17"]]));
});

test("fetchComponents: fetches nothing for a component that the environment names", async () => {
  vi.stubEnv("PATH", "");
  vi.stubEnv("DAG_SCALE_SPARK", "hive2://spark:10016");
  expect(await fetchComponents(["spark"])).toEqual(new Map());
});

test("GuardedProcess: a process that ends before it serves is named with the end of its log", async () => {
  const folder = mkdtempSync(join(tmpdir(), "dag-guarded-"));
  const script = "console.log('the disk is full'); process.exit(3)";
  const process_ = new GuardedProcess("The server", join(folder, "log"), process.execPath, ["-e", script], {
    cwd: folder,
  });
  await expect(process_.until("listen", (log) => log.includes("listening"))).rejects.toThrow(
    /^The server should listen, but ended before; its log ends:\nthe disk is full$/,
  );
  rmSync(folder, { recursive: true });
});

test("componentsFor: a run starts what its tests need, and skips those whose servers are missing", () => {
  expect(componentsFor([])).toEqual(["hive", "s3", "spark", "postgres"]);
  expect(componentsFor(["test/scale/hive"])).toEqual(["hive", "s3"]);
  expect(skippedTests(new Map([["spark", "no Java"]]))).toEqual(["spark", "several"]);
  expect(skippedTests(new Map())).toEqual([]);
});
