/**
 * The check that this Node.js is new enough. It is the first module that an entry of a package loads, so it uses nothing
 * that an older Node.js lacks.
 */

/** The oldest Node.js that the packages support: major and minor version, as `engines` of each package.json says. */
export const oldestNode = [22, 19] as const;

/** Returns what to do when a Node.js is too old; undefined when it is new enough. */
export function nodeProblem(program: string, version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return undefined;
  return (
    `${program} needs Node.js ${oldestNode.join(".")} or later, but this is Node.js ${version}: install a newer one, ` +
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
