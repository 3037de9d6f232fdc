/** Temporary folders that no query needs any more. */
import { outputFolder } from "../ports/output-folder";
import type { Platform } from "../ports/platform";
import type { State } from "../ports/state";

/** Deletes the temporary folders of all queries that do not run, and puts back the earlier results among them. */
export function deleteOrphans(platform: Platform, state: State): Promise<void> {
  return platform.outputs.deleteOrphans({
    kept: async () => new Set(await state.running()),
    async outputOf(queryId) {
      const query = await state.query(queryId);
      return query && outputFolder(query);
    },
  });
}
