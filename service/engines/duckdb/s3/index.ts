/** The objects of an engine process when they are on S3. Loaded only then. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getCACertificates } from "node:tls";
import { S3Storage } from "../../../../storage/s3";
import type { EngineOperationInput } from "../process/protocol";
import type { EngineSettings } from "../process/protocol";
import type { JobControl } from "../run-select";
import type { SplitContext } from "../split";
import { S3EngineFiles } from "./files";
import { splitOnS3 } from "./split";

/** Writes the authorities that Node.js trusts, those of NODE_EXTRA_CA_CERTS included, to a file for DuckDB. */
function writeAuthorities({ s3, tempDirectory }: EngineSettings): string | undefined {
  if (s3?.endpoint?.startsWith("http:")) return undefined;
  mkdirSync(tempDirectory, { recursive: true });
  const path = join(tempDirectory, "authorities.pem");
  writeFileSync(path, getCACertificates("default").join("\n"));
  return path;
}

/** Connects the process to S3. Its credentials are those of its environment. */
export async function openS3Access(settings: EngineSettings) {
  const storage = new S3Storage(settings.s3);
  // Loaded before the process is ready, so that its memory counts as that of an idle process.
  await storage.load();
  const extension = settings.s3?.httpfs;
  const httpfs = extension === undefined ? undefined : { extension, authorities: writeAuthorities(settings) };
  const files = new S3EngineFiles({ storage, directory: settings.dataDirectory, maxBytes: settings.tempBytes, httpfs });
  return {
    files,
    split: (context: SplitContext, input: EngineOperationInput<"split">, control: JobControl) =>
      splitOnS3(context, { storage, files }, input, control),
  };
}
