import { Server, ServerCredentials } from "@grpc/grpc-js";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { whenEngineIsGone } from "../../../../provider/pulumi-engine/engine-liveness";

/** A gRPC server, as the engine has one for its providers. */
async function startEngine() {
  const server = new Server();
  const port = await new Promise<number>((resolve, reject) => {
    const bound = (error: Error | null, at: number) => (error ? reject(error) : resolve(at));
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), bound);
  });
  onTestFinished(() => server.forceShutdown());
  return { server, address: `127.0.0.1:${port}` };
}

describe("whenEngineIsGone", () => {
  test("detects an engine that never responds", async () => {
    const { server, address } = await startEngine();
    server.forceShutdown();
    const gone = vi.fn<() => void>();
    whenEngineIsGone(address, gone, 300);
    await vi.waitFor(() => expect(gone).toHaveBeenCalledOnce(), 5_000);
  });

  test("detects when a connected engine is killed, and not earlier", async () => {
    const { server, address } = await startEngine();
    const gone = vi.fn<() => void>();
    whenEngineIsGone(address, gone, 300);
    await pause(600);
    expect(gone).not.toHaveBeenCalled();
    server.forceShutdown();
    await vi.waitFor(() => expect(gone).toHaveBeenCalledOnce(), 10_000);
  });

  test("does not use a proxy for the local engine", async () => {
    vi.stubEnv("http_proxy", "http://127.0.0.1:9");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { address } = await startEngine();
    const gone = vi.fn<() => void>();
    whenEngineIsGone(address, gone, 500);
    await pause(1_000);
    expect(gone).not.toHaveBeenCalled();
  });

  test("does nothing without an engine address", async () => {
    const gone = vi.fn<() => void>();
    whenEngineIsGone(undefined, gone, 1);
    await pause(50);
    expect(gone).not.toHaveBeenCalled();
  });
});
