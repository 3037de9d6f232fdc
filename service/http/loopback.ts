/** Restricts paths to requests from this machine that no web page of another site has sent. */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { errors } from "../../contract";

/** Header that a request to a test control has; a page of another site cannot send it. */
const controlHeader = "x-dag-control";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Checks that the request comes from this machine, and not from a web page of another site in its browser. A browser
 * names that site in `Origin` or `Sec-Fetch-Site`, or, when the site's name resolves to this machine, in `Host`.
 * @throws AccessDenied, or RequestTimeout when the caller has left: a closed connection has no address
 */
export function requireLoopback({ headers, socket: { remoteAddress } }: IncomingMessage): void {
  if (remoteAddress === undefined) throw new errors.RequestTimeout("the caller closed its connection");
  if (!isLoopback(remoteAddress)) {
    throw new errors.AccessDenied("this path accepts requests only from the machine that runs the service");
  }
  const { host, origin, "sec-fetch-site": site } = headers;
  if (host !== undefined && !isLoopbackHost(host)) {
    throw new errors.AccessDenied(
      `this path does not accept the Host header "${host}": use localhost, 127.0.0.1 or [::1] in the URL`,
    );
  }
  if (site === "cross-site" || site === "same-site" || (origin !== undefined && hostOf(origin) !== host)) {
    throw new errors.AccessDenied("this path does not accept requests from web pages of other sites");
  }
}

/** Checks {@link requireLoopback}, and that the request to a test control has its header. @throws AccessDenied */
export function requireControl(incoming: IncomingMessage): void {
  requireLoopback(incoming);
  if (incoming.headers[controlHeader] !== undefined) return;
  throw new errors.AccessDenied(`the request has no header ${controlHeader}: send "${controlHeader}: 1"`);
}

function isLoopback(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && loopback.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** Returns true for `localhost` and loopback addresses, with any port. */
export function isLoopbackHost(host: string): boolean {
  const [, address, name = ""] = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/.exec(host) ?? [];
  return name.toLowerCase() === "localhost" || isLoopback(address ?? name);
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
