/** `npm run image -- [FOLDER] [--tag NAME:TAG]`: makes the OCI image of dag-service for this machine, without a daemon. */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { imageName, writeImage } from "../tools/image/image.mjs";
import { ReleaseError } from "../tools/release/step.mjs";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { tag: { type: "string" } } });
const file = join(resolve(positionals[0] ?? "."), imageName);
try {
  const digest = await writeImage(file, values.tag === undefined ? {} : { tag: values.tag });
  console.log(`${file} (${digest})`);
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
