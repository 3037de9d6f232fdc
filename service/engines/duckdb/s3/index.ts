/** The objects of an engine process when they are on S3. Loaded only then. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getCACertificates } from "node:tls";
import { S3Storage } from "../../../../storage/s3";
import type { EngineOperationInput } from "../process/protocol";
import type { EngineSettings } from "../process/protocol";
import type { JobControl } from "../run-select";
import type { SplitContext } from "../split-job";
import { S3EngineFiles } from "./files";
import { splitOnS3 } from "./split";

/** Connects the process to S3. Its credentials are those of its environment. */
export async function openS3Access(settings: EngineSettings) {
  const storage = new S3Storage(settings.s3);
  // Loaded before the process is ready, so that its memory counts as that of an idle process.
  await storage.load();
  const httpfs = httpfsOf(settings);
  const files = new S3EngineFiles({ storage, directory: settings.dataDirectory, maxBytes: settings.tempBytes, httpfs });
  return {
    files,
    split: (context: SplitContext, input: EngineOperationInput<"split">, control: JobControl) =>
      splitOnS3(context, { storage, files }, input, control),
  };
}

/** Returns how DuckDB reads objects itself; undefined when it does not. */
function httpfsOf({ s3: { httpfs: extension, endpoint } = {}, tempDirectory }: EngineSettings) {
  // The extension takes no server whose address has a path.
  if (extension === undefined || (endpoint !== undefined && new URL(endpoint).pathname !== "/")) return undefined;
  if (endpoint?.startsWith("http:")) return { extension, authorities: undefined };
  // Those that Node.js trusts, NODE_EXTRA_CA_CERTS included.
  const authorities = join(tempDirectory, "authorities.pem");
  mkdirSync(tempDirectory, { recursive: true });
  writeFileSync(authorities, getCACertificates("default").join("\n"));
  return { extension, authorities };
}
