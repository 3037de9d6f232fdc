/** The address of an error code's page on a copy of the site. It needs no Node.js: the console uses it, too. */
import { isErrorCode } from "./errors";

/**
 * Returns the address of what a site says of a code; undefined without a site, and for a code that the API does not have.
 *
 * @param site base URL of the site
 */
export function errorLink(code: string, site: string | undefined): string | undefined {
  if (!site || !isErrorCode(code) || !/^https?:$/.test(URL.parse(site)?.protocol ?? "")) return undefined;
  return `${site.replace(/\/+$/, "")}/errors.html#${code.toLowerCase()}`;
}
