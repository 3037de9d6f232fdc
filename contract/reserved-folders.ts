/** Folders of each bucket whose objects the service writes and deletes. */

/** Each folder, and what it is reserved for. */
export const reservedFolders = {
  "tmp/": "the temporary objects of running queries",
  ".uploads/": "objects that are being written",
} as const;

/** Returns the reserved folder that a key of a bucket lies in; undefined if there is none. */
export function reservedFolderOf(key: string): keyof typeof reservedFolders | undefined {
  // S3A marks a folder by an object of its name.
  if (key === "tmp" || key.startsWith("tmp/") || key.startsWith("tmp_$folder$")) return "tmp/";
  return key === ".uploads" || key.startsWith(".uploads/") ? ".uploads/" : undefined;
}
