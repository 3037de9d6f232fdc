/** Everything that the quickstart makes lies in one folder; this says where in it. */
import { join, resolve } from "node:path";
import { root } from "../setup/layout.mjs";

/** The bucket that the program of `examples/quickstart` reads and writes (its default). */
const bucket = "quickstart";

export interface Folder {
  /** The folder itself. */
  readonly path: string;
  /** What the service keeps. */
  readonly data: string;
  /** Objects of the bucket, as plain files. */
  readonly bucket: string;
  /** The service's key pair, made by the service, mode 0600. */
  readonly credentials: string;
  /** What the service says, the key pair at its first start included; mode 0600. */
  readonly serviceLog: string;
  /** The service that was started last: its process id. */
  readonly serviceProcess: string;
  /** The process that ran Pulumi last: its process id. */
  readonly deployProcess: string;
  /** Pulumi's state. */
  readonly state: string;
  /** What to `source` for running things by hand, mode 0600. */
  readonly environment: string;
  /** The passphrase for secrets in the state, mode 0600. */
  readonly passphrase: string;
  /** Held while a quickstart runs. */
  readonly lock: string;
}

/** @param path from the repository's folder, or absolute */
export function quickstartFolder(path: string): Folder {
  const folder = resolve(root, path);
  const data = join(folder, "data");
  return {
    path: folder,
    data,
    bucket: join(data, "buckets", bucket),
    credentials: join(data, "credentials.json"),
    serviceLog: join(folder, "service.log"),
    serviceProcess: join(folder, "service.pid"),
    deployProcess: join(folder, "deploy.pid"),
    state: join(folder, "state"),
    environment: join(folder, "env.sh"),
    passphrase: join(folder, "passphrase"),
    lock: `${folder}.lock`,
  };
}
