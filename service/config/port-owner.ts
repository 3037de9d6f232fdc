/** Finds the process that listens on a port, for the message that the port is in use. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * Returns the process that listens on a port of this machine, in parentheses; empty when it is not known, because the
 * system has no /proc or the process belongs to another user.
 */
export function ownerOfPort(port: number): string {
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
