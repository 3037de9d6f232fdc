/** Checks a statement for the console's editor: `POST /check`. */
import { ApiError, type CheckAnswer } from "../../../contract";
import type { Inspection } from "../ports/inspection";
import { tableDefinitions } from "../queries/execution";
import type { ServiceContext } from "../service-context";

/**
 * Returns the problems of a statement without running it: first its syntax, then its tables and columns if the cluster
 * has an engine.
 */
export async function checkStatement(
  context: ServiceContext,
  inspection: Inspection,
  { query, clusterName }: { readonly query: string; readonly clusterName?: string | undefined },
): Promise<CheckAnswer> {
  const problems = inspection.checkStatement(query);
  if (problems.some(({ severity }) => severity === "error")) return { problems };
  const engine = clusterName === undefined ? undefined : context.clusters.get(clusterName)?.engine;
  if (!engine) return { problems };
  try {
    const tables = await tableDefinitions(context, await engine.tablesRead(query));
    await engine.checkSelect({ statement: query, tables });
    return { problems };
  } catch (error) {
    // Other errors, such as the end of the engine, are not problems of the statement.
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return { problems: [{ ...positioned(error.message), severity: "error" }] };
  }
}

/** Separates the position `line:column` with which a message about a statement begins. */
function positioned(text: string) {
  const [, line = "0", column = "0", message = text] = /^(?:query )?(\d+):(\d+) ([^]*)$/.exec(text) ?? [];
  return { line: Number(line), column: Number(column), message };
}
