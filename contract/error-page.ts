/** The page of an error code on a team's own copy of the site, which the environment variable DAG_DOCS names. */
import { errorLink } from "./error-link";

/**
 * Returns the address of what the site says of a code; undefined without a site, or for a code that the API does not have.
 *
 * @param code of an error
 * @param site base URL of the site. @default the environment variable DAG_DOCS
 */
export function errorPage(code: string, site: string | undefined = process.env["DAG_DOCS"]): string | undefined {
  return errorLink(code, site);
}

/** Returns the line that leads to {@link errorPage}, with a line break before it; an empty text without a page. */
export function seeErrorPage(code: string): string {
  const page = errorPage(code);
  return page === undefined ? "" : `\nSee ${page}`;
}
