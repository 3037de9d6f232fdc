/** How servers of Hadoop's family reach the S3 server of a test run. */

export interface S3Access {
  readonly endpoint: string;
  /** The variables from which the servers take their credentials. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Returns the settings of Hadoop's S3A client. */
export function s3aSettings({ endpoint }: S3Access): Readonly<Record<string, string>> {
  return {
    "fs.s3a.endpoint": endpoint,
    "fs.s3a.endpoint.region": "us-east-1",
    "fs.s3a.path.style.access": "true",
    "fs.s3a.connection.ssl.enabled": "false",
    // With it, each PUT waits minutes for the deletion of folders' markers, which the test server refuses.
    "fs.s3a.directory.marker.retention": "keep",
    // The tests put objects as files, which have no etags: S3A's default stream needs one.
    "fs.s3a.change.detection.mode": "none",
    "fs.s3a.change.detection.version.required": "false",
    "fs.s3a.input.stream.type": "classic",
  };
}
