/** The folders `name=value/` of a table's objects, which are the values of its partition columns, as in Hive. */

/** A folder of the form `name=value`. */
export interface PartitionFolder {
  /** The folder as it is written. */
  readonly folder: string;
  /** Name of the column, in lower case. */
  readonly name: string;
  /** Null for NULL. Empty in `name=/`, which is no value. */
  readonly value: string | null;
}

/** The value of a folder for NULL. */
const nullValue = "__HIVE_DEFAULT_PARTITION__";

/**
 * Reads the leading folders of an object's path below its table's folder that are of the form `name=value`. The name ends
 * at the first `=`.
 */
export function partitionFolders(path: string): PartitionFolder[] {
  const folders: PartitionFolder[] = [];
  for (const folder of path.split("/").slice(0, -1)) {
    const [, name, value] = /^([^=]+)=([^]*)$/.exec(folder) ?? [];
    if (name === undefined || value === undefined) break;
    const text = unescaped(value);
    folders.push({ folder, name: unescaped(name).toLowerCase(), value: text === nullValue ? null : text });
  }
  return folders;
}

/**
 * Decodes `%3A`, as Hive writes characters that its paths do not allow, and `%C3%BC`, as others write UTF-8. Bytes that are
 * no UTF-8 are one character each, as Hive reads them.
 */
function unescaped(text: string): string {
  return text.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run.replaceAll(/%(..)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
    }
  });
}
