/** Recognises errors of a disk that is full or cannot be written, also inside other errors. */

/** Codes of the operating system. */
const systemCodes: Readonly<Record<string, DiskProblem>> = {
  ENOSPC: "full",
  EDQUOT: "full",
  EIO: "failing",
  EROFS: "failing",
};

/** Result codes of SQLite, which `node:sqlite` gives as `errcode`. */
const sqliteCodes: Readonly<Record<number, DiskProblem>> = {
  /** SQLITE_FULL */
  13: "full",
  /** SQLITE_IOERR_SHMSIZE: the index of the write-ahead log could not grow. */
  4874: "full",
  /** SQLITE_IOERR_WRITE */
  778: "failing",
  /** SQLITE_IOERR_FSYNC */
  1034: "failing",
  /** SQLITE_IOERR_TRUNCATE */
  1546: "failing",
  /** SQLITE_READONLY */
  8: "failing",
};

/** The disk has no space left (or the user's quota is used up), or it cannot be written. */
export type DiskProblem = "full" | "failing";

/** Returns the problem of the disk that an error or one of its causes reports; undefined if none does. */
export function diskProblem(error: unknown): DiskProblem | undefined {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const { code, errcode } = inner as { code?: unknown; errcode?: unknown };
    const found = systemCodes[String(code)] ?? (typeof errcode === "number" ? sqliteCodes[errcode] : undefined);
    if (found) return found;
  }
  return undefined;
}

/** Describes a problem of the disk that holds a folder or file. */
export function describeDiskProblem(problem: DiskProblem, path: string): string {
  return problem === "full"
    ? `the disk of ${path} is full: free space on it`
    : `the disk of ${path} cannot be written: check it`;
}
