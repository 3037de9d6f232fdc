/** Runs the split requests of the engine. */
import { mkdir } from "node:fs/promises";
import type { EngineFiles } from "../files";
import type { EngineOperationInput, EngineOperationOutput } from "../process/protocol";
import type { JobControl } from "../run-select";
import { splitInThread } from "./thread";

/** The stages of a split; its record does not show them. */
export const splitStages = { cut: 1 } as const;

/**
 * Cuts the inputs into objects.
 * @returns the declared columns. Without a declaration there are none: the engine infers them from all rows when a
 * statement reads the table. `checked` is false, because a split does not check the values.
 */
export async function runSplitJob(
  files: EngineFiles,
  { inputs, format, columns, output, objectBytes }: EngineOperationInput<"split">,
  control: JobControl,
): Promise<EngineOperationOutput<"split">> {
  await mkdir(output, { recursive: true });
  control.progress(0, splitStages.cut);
  const started = performance.now();
  const { objects, bytes } = await splitInThread(
    { inputs: await files.inputs(inputs, control.signal), format, output, objectBytes },
    { signal: control.signal, progress: (percent) => control.progress(percent, splitStages.cut) },
  );
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  control.log(`cut ${inputs.length} inputs of ${bytes} bytes into ${objects} objects in ${seconds} s`);
  control.progress(100, splitStages.cut);
  return { columns: columns ?? [], checked: false };
}
