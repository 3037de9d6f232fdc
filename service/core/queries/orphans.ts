/** Temporary folders that no query needs any more. */
import { outputFolder } from "./output-folder";
import type { Platform } from "../ports/platform";
import type { QueryRecords } from "../ports/state";

/** Deletes the temporary folders of all queries that do not run, and puts back the earlier results among them. */
export function deleteOrphans(platform: Platform, queries: QueryRecords): Promise<void> {
  return platform.outputs.deleteOrphans({
    kept: async () => new Set(await queries.listRunning()),
    async outputOf(queryId) {
      const query = await queries.get(queryId);
      return query && outputFolder(query);
    },
  });
}
