/** Restricts paths to requests from this machine. */
import type { IncomingMessage } from "node:http";
import { BlockList } from "node:net";
import { errors } from "../../contract";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Checks that the request comes from this machine. @throws AccessDenied */
export function requireLoopback({ socket: { remoteAddress = "", remoteFamily } }: IncomingMessage): void {
  if (loopback.check(remoteAddress, remoteFamily === "IPv6" ? "ipv6" : "ipv4")) return;
  throw new errors.AccessDenied("this path accepts requests only from the machine that runs the service");
}
