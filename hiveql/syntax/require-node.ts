/** Ends the process with one line when its Node.js is too old. The package's entry imports this first. */

/** The oldest Node.js that the package supports: major and minor version, as `engines` of its package.json says. */
const oldestNode = [22, 19] as const;

const { node } = process.versions;
const [major = 0, minor = 0] = node.split(".").map(Number);
if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
  process.stderr.write(
    `hiveql-duckdb needs Node.js ${oldestNode.join(".")} or later, but this is Node.js ${node}: install a newer one, ` +
      `such as with "nvm install 24" or from https://nodejs.org, and put it first on PATH\n`,
  );
  process.exit(1);
}
