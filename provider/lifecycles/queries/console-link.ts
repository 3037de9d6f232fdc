/** Addresses of queries' pages in the console, for rows and messages. */
import type { LifecycleContext } from "../lifecycle";

type Console = Pick<LifecycleContext, "consoleUrl">;

/** Returns the end of a row, such as ` · http://127.0.0.1:9393/console/queries/7`; empty without a console. */
export function linkInRow(queryId: number, { consoleUrl }: Console): string {
  return consoleUrl === undefined ? "" : ` · ${pageOf(queryId, consoleUrl)}`;
}

/** Returns the last line of a message, which names the page of its query; empty without a console. */
export function linkLine(queryId: number, { consoleUrl }: Console): string {
  return consoleUrl === undefined ? "" : `\nThe query in the console: ${pageOf(queryId, consoleUrl)}`;
}

function pageOf(queryId: number, consoleUrl: string): string {
  return `${consoleUrl}/console/queries/${queryId}`;
}
