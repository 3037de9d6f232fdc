/**
 * The check that this Node.js is new enough. It is the first module that an entry of a package loads, so it uses nothing
 * that an older Node.js lacks.
 */

/** The oldest Node.js that the packages support: major and minor version, as `engines` of each package.json says. */
export const oldestNode = [22, 19] as const;

/** A later one that lacks parts of `node:sqlite` that 22.19 has. It is no longer maintained. */
const unsupportedMajor = 23;

/** Returns what to do when a Node.js is too old; undefined when the packages run on it. */
export function nodeProblem(program: string, version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isNewEnough = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  if (isNewEnough && major !== unsupportedMajor) return undefined;
  const butNot = isNewEnough ? `, and not ${unsupportedMajor}` : "";
  return (
    `${program} needs Node.js ${oldestNode.join(".")} or later${butNot}, but this is Node.js ${version}: install a newer one, ` +
    `such as with "nvm install 24" or from https://nodejs.org, and put it first on PATH`
  );
}

/** Ends the process with one line on stderr and exit code 1 when its Node.js is too old. */
export function requireNode(program: string): void {
  const problem = nodeProblem(program, process.versions.node);
  if (problem === undefined) return;
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
