import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathWithoutPackages } from "./layout.mjs";

/** The folders that Go's installers use, for shells whose PATH does not contain them. */
const installFolders = ["/usr/local/go/bin", "/usr/lib/go/bin", "/opt/homebrew/bin"];

/** @returns {string | undefined} the path of the `go` program; undefined when Go is not installed */
export function findGo() {
  const folders = [...pathWithoutPackages().split(delimiter), ...installFolders];
  return folders.map((folder) => join(folder, "go")).find((file) => existsSync(file));
}
