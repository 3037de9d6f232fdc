/** A server in a process of its own, whose CPU time is not that of the benchmark. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export interface ForkedServer extends AsyncDisposable {
  readonly url: string;
}

/** Starts a module as a process that calls {@link serveForked} when its first argument is `serve`. */
export async function startForked(module: string, ...args: readonly string[]): Promise<ForkedServer> {
  const child = fork(new URL(module), ["serve", ...args]);
  const [url] = (await once(child, "message")) as [string];
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await once(child, "exit");
    },
  };
}

/** Serves on a free port until the parent process disconnects. */
export async function serveForked(listener: RequestListener): Promise<void> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await once(process, "disconnect");
  process.exit(0);
}
