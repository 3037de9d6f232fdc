/** Checks the request line and the Host header before anything routes a request. */
import type { IncomingMessage } from "node:http";
import { errors } from "../../contract";

/**
 * Checks that a request has one target for everyone who reads it: {@link checkTarget}, and one valid Host header: of two,
 * a proxy might read the other one.
 * @throws InvalidParameter
 */
export function checkRequestLine({ url = "", headers: { host = "" }, rawHeaders }: IncomingMessage): void {
  checkTarget(url);
  if (!validHost.test(host)) {
    throw new errors.InvalidParameter("the request has no valid Host header: send the host and port of the URL");
  }
  if (countOf("host", rawHeaders) > 1)
    throw new errors.InvalidParameter("the request has several Host headers: send one");
}

/** Returns how often a request has a header. @param header its name in lower case @param raw names and values in turn */
export function countOf(header: string, raw: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!;
    if (name.length === header.length && name.toLowerCase() === header) count += 1;
  }
  return count;
}

/**
 * Checks that a target is a path and a query string in normal form. A proxy in front of the service decides by the path
 * what it forwards; every other spelling of a path might reach here what the proxy has hidden. The query string is
 * checked only for characters that no target may have.
 * @throws InvalidParameter that names the part of the target and what to send.
 */
function checkTarget(target: string): void {
  const problem = problemOf(target);
  if (problem !== undefined) throw new errors.InvalidParameter(`the target of the request is not valid: ${problem}`);
}

/** A name or an address, with a port or without (RFC 9110 §7.2). */
const validHost = /^(?:\[[\w:.%~-]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/;

/** Characters that a percent-encoding in a path may not hide: those that need none, slashes, and control characters. */
const needlesslyEncoded = /[A-Za-z0-9\-._~/\\\u0000-\u001f\u007f]/; // oxlint-disable-line no-control-regex

function problemOf(target: string): string | undefined {
  if (!target.startsWith("/")) return "it must begin with /, without a scheme and a host";
  if (/[^!-~]/.test(target)) return "it has a character that must be percent-encoded";
  if (target.includes("#")) return "it must not have a fragment (#)";
  const [path = ""] = target.split("?", 1);
  if (path.includes("\\")) return "its path must not have a backslash";
  if (path.includes("//")) return "its path must not have an empty part (//)";
  if (path.split("/").some((part) => part === "." || part === "..")) return "its path must not have the part . or ..";
  const encoded = path.match(/%[0-9A-Fa-f]{2}/g)?.find((code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return needlesslyEncoded.test(character);
  });
  if (encoded !== undefined) return `its path must not have ${encoded}: only characters that need it may be encoded`;
  return undefined;
}
