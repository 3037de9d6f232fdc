/** Runs the jobs of splits on S3: `service/split` cuts the objects, DuckDB finds the columns. */
import { parseLocation } from "../../../../contract";
import type { S3Storage } from "../../../../storage/s3";
import { headInputs, S3Split } from "../../../split/s3";
import type { EngineOperationInput, EngineOperationOutput } from "../process/protocol";
import type { JobControl } from "../run-select";
import { findColumns, type SplitContext, splitStages } from "../split-job";
import type { S3EngineFiles } from "./files";

interface Dependencies {
  readonly storage: S3Storage;
  readonly files: S3EngineFiles;
}

/** Cuts the inputs into objects of the output folder. The result is that of a split of files. */
export async function splitOnS3(
  context: SplitContext,
  { storage, files }: Dependencies,
  { inputs: locations, format, columns, output, objectBytes }: EngineOperationInput<"split">,
  control: JobControl,
): Promise<EngineOperationOutput<"split">> {
  control.progress(0, splitStages.cut);
  const started = performance.now();
  const target = parseLocation(output);
  const inputs = await headInputs(storage, locations, control.signal);
  const bytes = inputs.reduce((sum, { size }) => sum + size, 0);
  const split = new S3Split({
    storage,
    target,
    objectBytes,
    format,
    directory: files.scratch(),
    signal: control.signal,
    progress: (percent) => control.progress(percent, splitStages.cut),
    bytes,
  });
  for (const input of inputs) await split.add(input);
  const objects = await split.finish();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  control.log(`cut ${inputs.length} inputs of ${bytes} bytes into ${objects} objects in ${seconds} s`);
  const found = columns ?? (await findColumns(context, files.of(inputs), format, control));
  control.progress(100, splitStages.cut);
  return { columns: found.map(({ name, type }) => ({ name, type })), checked: false };
}
