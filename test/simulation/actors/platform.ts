/** The platform of a service: its log, the logs of its queries, its clock, and its folders as the oracle watches them. */
import type { LogFiles, Logger, OutputFolders } from "../../../service/core/ports/platform";
import { world } from "../world/world";
import { withMethods } from "./state";

const told = (fields: object, message: string) => {
  const { err } = fields as { readonly err?: Error };
  world().tell(`log: ${message}${err ? ` (${err.message})` : ""}`);
};

export const log: Logger = { info: told, warn: told, error: told };

/** Returns the folders. @param publishes told of each publication that begins, with the attempt that publishes */
export function watchedOutputs(
  outputs: OutputFolders,
  publishes: (queryId: number, epoch: number) => void,
): OutputFolders {
  const watched = (publish: OutputFolders["publishNew"]): OutputFolders["publishNew"] => {
    return (id, target, publication) => {
      publishes(id, publication.publishedBy);
      return publish.call(outputs, id, target, publication);
    };
  };
  return withMethods(outputs, {
    publishNew: watched(outputs.publishNew),
    publishReplacing: watched(outputs.publishReplacing),
  });
}

/** Returns the logs of queries, which are on the disk. */
export function logFiles(logs: Map<number, string>): LogFiles {
  return {
    query: (_cluster, id, line) => {
      world().tell(`log of query ${id}: ${line}`);
      logs.set(id, `${logs.get(id) ?? ""}${line}\n`);
    },
    cluster: () => undefined,
    readQuery: (_cluster, id) => world().call("log: read", () => logs.get(id) ?? ""),
    dropQueries: () => undefined,
    deleteQuery: async (_cluster, id) => (logs.delete(id), 10),
    queryBytes: async () => 0,
    flush: () => world().call("log: flush", () => undefined),
    list: async () => [],
  };
}

/** Sleeps in the world's time. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", done);
  });
}
