/** What several processes on one database must have in common, and how two of them differ. */
import { createHash } from "node:crypto";
import type { ServiceConfig } from "./schema";

/** The fields that processes must share, by name, each as a hash: a database is no place for their values. */
export type SharedConfig = Readonly<Record<string, string>>;

/** Returns what a process must share with others. Paths and passwords may differ from machine to machine. */
export function sharedConfig(config: ServiceConfig): SharedConfig {
  const { clusters, credentials, engines, openlineage, retention, signature, storage, tables, views } = config;
  const fields = {
    clusters,
    credentials: credentials?.map(({ accessKeyId }) => accessKeyId),
    engines: Object.entries(engines).map(([name, { dialect, urls, s3Scheme }]) => [name, dialect, urls, s3Scheme]),
    openlineage: openlineage && { url: openlineage.url, namespace: openlineage.namespace },
    retention,
    signature,
    storage: placeOf(storage),
    tables,
    views,
  };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, hashOf(value)]));
}

/** Returns the names of the fields that two processes have with other values. */
export function differingFields(one: SharedConfig, other: SharedConfig): string[] {
  return Object.keys(one).filter((name) => other[name] !== undefined && other[name] !== one[name]);
}

/** Returns the URL of an S3 server, in both forms of the setting; undefined for a folder of the machine. */
function placeOf(storage: ServiceConfig["storage"]): string | undefined {
  if (typeof storage === "object") return storage.s3.endpoint;
  return storage?.trim().startsWith("s3:") ? storage.trim().slice("s3:".length).split("?", 1)[0] : undefined;
}

function hashOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(value) ?? "")
    .digest("base64url")
    .slice(0, 16);
}
