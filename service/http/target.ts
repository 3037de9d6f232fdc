/** Checks the target of a request line before anything routes it. */
import { errors } from "../../contract";

/**
 * Checks that a target is a path and a query string in normal form. A proxy in front of the service decides by the path
 * what it forwards; every other spelling of a path might reach here what the proxy has hidden. The query string is
 * checked only for characters that no target may have.
 * @throws InvalidParameter that names the part of the target and what to send.
 */
export function checkTarget(target: string): void {
  const problem = problemOf(target);
  if (problem !== undefined) throw new errors.InvalidParameter(`the target of the request is not valid: ${problem}`);
}

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
