/** Finds the process that listens on a port, for the message that the port is in use. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Time to wait for the answer of what listens on the port, in milliseconds. */
const answerTimeout = 1000;

/**
 * Returns what listens on a port of this machine, such as `dag-service (process 1234)`. The process is left out when it is
 * not known, because the system has no /proc or the process belongs to another user.
 */
export async function ownerOfPort({ host, port }: { readonly host: string; readonly port: number }): Promise<string> {
  return `${(await isService(host, port)) ? "dag-service" : "program"}${processOf(port)}`;
}

/** Returns true when a dag-service answers. One that still starts does not. */
async function isService(host: string, port: number): Promise<boolean> {
  const address = ["0.0.0.0", "::", "[::]", ""].includes(host) ? "localhost" : host.replace(/^([^[].*:.*)$/, "[$1]");
  try {
    const signal = AbortSignal.timeout(answerTimeout);
    const answer = await fetch(`http://${address}:${port}/`, { method: "HEAD", redirect: "manual", signal });
    return answer.headers.get("server") === "dag-service";
  } catch {
    return false;
  }
}

/** Returns the process that listens on a port, in parentheses; empty when it is not known. */
function processOf(port: number): string {
  try {
    const sockets = listeningSockets(port);
    const owners = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && hasSocket(pid, sockets));
    return owners.length === 1 ? ` (process ${owners[0]})` : "";
  } catch {
    return "";
  }
}

/** State of a socket that listens, in the kernel's tables. */
const listening = "0A";

/** Returns the sockets that listen on a port, each as a link of /proc/PID/fd/ names it. */
function listeningSockets(port: number): ReadonlySet<string> {
  const lines = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) => readFileSync(file, "utf8").split("\n"));
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return new Set(
    lines
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local = "", , state]) => local.endsWith(suffix) && state === listening)
      .map((fields) => `socket:[${fields[9]}]`),
  );
}

function hasSocket(pid: string, sockets: ReadonlySet<string>): boolean {
  const folder = `/proc/${pid}/fd`;
  return orElse([], () => readdirSync(folder)).some((file) =>
    sockets.has(orElse("", () => readlinkSync(`${folder}/${file}`))),
  );
}

/** Returns a fallback for what cannot be read: the process has ended, belongs to another user, or closed the file. */
function orElse<Value>(fallback: Value, read: () => Value): Value {
  try {
    return read();
  } catch {
    return fallback;
  }
}
