/** The paths of the quickstart's files, which are all in one folder. */
import { join, resolve } from "node:path";
import { root } from "../setup/layout.mjs";

/** The bucket that the program of `examples/quickstart` reads and writes (its default). */
const bucket = "quickstart";

export interface QuickstartFolder {
  /** The folder itself. */
  readonly path: string;
  /** The service's data. */
  readonly data: string;
  /** The bucket's objects, as plain files. */
  readonly bucket: string;
  /** The service's key pair, written by the service with mode 0600. */
  readonly credentials: string;
  /** The service's log; mode 0600, because the first start logs the key pair. */
  readonly serviceLog: string;
  /** The process id of the service that was started last. */
  readonly servicePidFile: string;
  /** The process id of the last process that ran Pulumi. */
  readonly deployPidFile: string;
  /** Pulumi's state folder. */
  readonly state: string;
  /** A shell script for `source` that sets the environment for manual use; mode 0600. */
  readonly environment: string;
  /** The passphrase that encrypts secrets in the state; mode 0600. */
  readonly passphrase: string;
  /** The lock file that a running quickstart holds. */
  readonly lock: string;
}

/** @param path absolute, or relative to the repository's root */
export function quickstartFolder(path: string): QuickstartFolder {
  const folder = resolve(root, path);
  const data = join(folder, "data");
  return {
    path: folder,
    data,
    bucket: join(data, "buckets", bucket),
    credentials: join(data, "credentials.json"),
    serviceLog: join(folder, "service.log"),
    servicePidFile: join(folder, "service.pid"),
    deployPidFile: join(folder, "deploy.pid"),
    state: join(folder, "state"),
    environment: join(folder, "env.sh"),
    passphrase: join(folder, "passphrase"),
    lock: `${folder}.lock`,
  };
}
