/** Runs the jobs of splits: `service/split` cuts the objects, DuckDB finds the columns. */
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { noteLine, type Column, type InputFormat } from "../../../contract";
import { EngineError } from "./engine-errors";
import type { EngineOperationInput, EngineOperationOutput } from "./process/protocol";
import type { EngineFile } from "./files";
import type { JobControl, SelectContext } from "./run-select";
import { splitInThread } from "../../split/thread";

/** The stages of a split; its record does not show them. */
export const splitStages = { cut: 1 } as const;

/** The dependencies of splits. */
export type SplitContext = Pick<SelectContext, "database" | "tables" | "files" | "log">;

/**
 * Cuts the inputs into objects.
 * @returns the declared columns, or those that all rows of a small table have. `checked` is false, because a split does
 * not check the values.
 */
export async function runSplitJob(
  context: SplitContext,
  { inputs, format, columns, output, objectBytes }: EngineOperationInput<"split">,
  control: JobControl,
): Promise<EngineOperationOutput<"split">> {
  await mkdir(output, { recursive: true });
  control.progress(0, splitStages.cut);
  const started = performance.now();
  const files = await context.files.inputs(inputs, control.signal);
  const { objects, bytes } = await splitInThread(
    { inputs: files, format, output, objectBytes },
    { signal: control.signal, progress: (percent) => control.progress(percent, splitStages.cut) },
  );
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  control.log(`cut ${inputs.length} inputs of ${bytes} bytes into ${objects} objects in ${seconds} s`);
  const found = columns ?? (await findColumns(context, await filesIn(output), format, control));
  control.progress(100, splitStages.cut);
  return { columns: found.map(({ name, type }) => ({ name, type })), checked: false };
}

/** Returns the files of a folder, of which a message has the names only: the folder is the table's at the end. */
async function filesIn(folder: string): Promise<EngineFile[]> {
  const files = (await readdir(folder)).toSorted().map((name) => ({ path: join(folder, name), location: name }));
  return Promise.all(files.map(async (file) => ({ ...file, size: (await stat(file.path)).size })));
}

/**
 * Finds the columns of a small table for its record; empty for a large one, and, with a line in the log, for one whose
 * columns are unusable.
 */
export async function findColumns(
  { database, tables, log }: SplitContext,
  files: readonly EngineFile[],
  format: InputFormat,
  control: Pick<JobControl, "signal" | "log">,
): Promise<readonly Column[]> {
  try {
    const table = { database: "", table: "", format, checked: false, files };
    return (await tables.columnsIfSmall(database.forSelects, table, control.signal)) ?? [];
  } catch (error) {
    control.signal.throwIfAborted();
    const reason = (error as Error).message;
    log.info({ reason }, "the columns of the table could not be found");
    if (error instanceof EngineError) {
      const text = `statements over this table will be refused: ${reason}`;
      control.log(noteLine({ severity: "warning", text }));
    }
    return [];
  }
}
