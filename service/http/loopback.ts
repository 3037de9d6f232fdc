/** Paths that are for this machine alone. */
import type { IncomingMessage } from "node:http";
import { BlockList } from "node:net";
import { errors } from "../../contract";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** @throws AccessDenied where the request comes from another machine. */
export function requireLoopback({ socket: { remoteAddress = "", remoteFamily } }: IncomingMessage): void {
  if (loopback.check(remoteAddress, remoteFamily === "IPv6" ? "ipv6" : "ipv4")) return;
  throw new errors.AccessDenied("this path answers requests from the service's own machine only");
}
