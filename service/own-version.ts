/** The version of the package, which has another name on the registry than in the repository. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the version that the package's own manifest says. */
export function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8")) as {
    readonly version: string;
  };
  return version;
}
