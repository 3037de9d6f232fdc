/** Split as the engine runs it. */
import { mkdir } from "node:fs/promises";
import type { OperationInput, OperationOutput } from "../process/protocol";
import type { Follower } from "../run-select";
import { splitInThread } from "./thread";

/** Stages of a split, as its record's `stage` counts them; a split's record does not show it. */
export const splitStages = { cut: 1 } as const;

/**
 * Cuts the inputs into objects.
 * @returns the columns that were declared. None where none were: they are read from the data when a statement reads
 * the table, since the beginning of an input proves nothing about the rest. `checked` is false: the values are not
 * looked at.
 */
export async function runSplitJob(
  { inputs, format, columns, output, objectBytes }: OperationInput<"split">,
  follower: Follower,
): Promise<OperationOutput<"split">> {
  await mkdir(output, { recursive: true });
  follower.progress(0, splitStages.cut);
  const started = performance.now();
  const { objects, bytes } = await splitInThread(
    { inputs, format, output, objectBytes },
    { signal: follower.signal, progress: (percent) => follower.progress(percent, splitStages.cut) },
  );
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  follower.log(`cut ${inputs.length} inputs of ${bytes} bytes into ${objects} objects in ${seconds} s`);
  follower.progress(100, splitStages.cut);
  return { columns: columns ?? [], checked: false };
}
