import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { outsidePath } from "./layout.mjs";

/** Where Go's own installers put it, for shells whose PATH does not name it. */
const usualFolders = ["/usr/local/go/bin", "/usr/lib/go/bin", "/opt/homebrew/bin"];

/** @returns {string | undefined} the path of `go`, undefined where there is none */
export function findGo() {
  const folders = [...outsidePath().split(delimiter), ...usualFolders];
  return folders.map((folder) => join(folder, "go")).find((file) => existsSync(file));
}
