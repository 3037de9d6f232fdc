/**
 * Checks that the files, link targets and tests that the documents name exist, that no document installs a package of ours
 * that is not published, and that the README's program is the one that runs.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { root } from "../setup/layout.mjs";
import { run } from "../setup/process.mjs";

/** A source file, script or document in backticks, such as `core/clock.ts`; the end of its path is enough. */
const namedFile = /`([\w.-]+(?:\/[\w.-]+)*\.(?:ts|mts|mjs|cjs|md|json|jsonl|go|sh))`/g;
/** A folder of sources in backticks, such as `core/ports/`; the end of its path is enough. */
const namedFolder =
  /`((?:contract|storage|hiveql|provider|service|tools|scripts|test|examples|docs)\/(?:[\w.-]+\/)*)`/g;
/** Documents whose folders in backticks are all folders of sources, such as `udf/`. */
const sourceDocuments = new Set(["ARCHITECTURE.md", "CONTRIBUTING.md", "hiveql/README.md"]);
const anyFolder = /`((?:[A-Za-z][\w-]*\/)+)`/g;
/** Folders that are not sources: builds, and the temporary objects of a bucket. */
const otherFolder = /(?:^|\/)(?:dist|tmp)\/$/;
/** A command of the repository, such as `npm run check`. */
const namedCommand = /`npm run ([\w:-]+)/g;
/** A Markdown link to a file, not to a page of a site; a title names a test in it. */
const link = /\]\((?!https?:|\/registry\/)([^\s)#]+)(?:#[^\s)]*)?(?: "((?:[^"\\]|\\.)*)")?\)/g;
/** Files that a user has, or that the commands make. */
const madeElsewhere = new Set(["Pulumi.yaml", "credentials.json", "manifest.json", "package.json", "state.json"]);

/** Patterns of names under which a registry has nothing of ours, or a package of another owner. Empty it when they are published. */
const unpublished = ["pulumi-dag", "dag-service", "hiveql-duckdb", "@pulumi-dag/\\w+", "pulumi[_-]dag"];
/** Where a document says how to install from the clone. */
const wayFromTheClone = "installation-configuration.md#from-the-clone";

/**
 * Returns commands that take one of some packages from a registry, with what may stand there: a packed file, or an
 * installed program; and a command that needs one of them to be installed.
 *
 * @param {readonly string[]} names patterns of the packages' names
 */
function commandsOf(names) {
  const name = `(?:${names.join("|")})`;
  const installing = [
    {
      command: new RegExp(`\\bnpx (?!--no-install )(?:-\\S+ )*${name}(?![\\w/-])[^\\n\`]*`, "g"),
      remedy: "write `npx --no-install`, which never takes another package of that name from the registry",
    },
    {
      command: new RegExp(
        `\\bnpm (?:i|install|add|exec)\\b(?: -\\S+)*(?: [^-\\s\`]\\S*)*? ${name}(?=[\\s\`"',;)]|@|$)[^\\n\`]*`,
        "g",
      ),
      remedy: "install the packed file, such as `npm install <clone>/pulumi-dag-<version>.tgz`",
    },
    {
      command: new RegExp(`\\b(?:pip install|go get|yarn add|pnpm add|bun add) [^\\n\`]*${name}[^\\n\`]*`, "g"),
      remedy: "name `pulumi package add` with the plugin instead",
    },
    {
      command: /\bpulumi plugin install resource dag(?![^\n`]*--file)[^\n`]*/g,
      remedy: "give the archive with `--file`",
    },
  ];
  return { installing, needsPackage: new RegExp(`\\bnpx --no-install ${name}|\\bnpm install [^\\n\`]*\\.tgz`) };
}

/**
 * Checks every document of the repository.
 *
 * @returns {Promise<string[]>} one line for each thing that a document names and that is not there
 */
export async function documentProblems() {
  const { output } = await run("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root });
  const files = output.split("\n").filter((file) => file !== "" && existsSync(join(root, file)));
  const documents = files.filter((file) => file.endsWith(".md") && !file.startsWith(".changeset/"));
  const manifests = files.filter((file) => /^(?:docs|examples)\/.*\.ya?ml$/.test(file));
  const installed = [...documents, ...manifests].flatMap((document) =>
    installProblems(document, readFileSync(join(root, document), "utf8")),
  );
  const named = documents.flatMap((document) => {
    const text = readFileSync(join(root, document), "utf8").replace(/^```[^]*?^```/gm, "");
    return [
      ...missingFiles(document, text, files),
      ...missingCommands(document, text),
      ...missingTargets(document, text),
    ];
  });
  return [...named, ...installed, ...readmeProblems()];
}

/**
 * Finds the commands that would take an unpublished package from a registry, and documents that do not show the way from
 * the clone; nothing when every package is published.
 *
 * @param {string} document
 * @param {string} text
 * @param {readonly string[]} names patterns of the names of the unpublished packages
 * @returns {string[]}
 */
export function installProblems(document, text, names = unpublished) {
  if (names.length === 0) return [];
  const { installing, needsPackage } = commandsOf(names);
  const found = installing.flatMap(({ command, remedy }) =>
    [...text.matchAll(command)].map(
      ([written]) => `${document} has "${written.trim()}", and the package is not published: ${remedy}`,
    ),
  );
  const isTold = text.includes(wayFromTheClone) || document.endsWith("installation-configuration.md");
  if (!needsPackage.test(text) || isTold) return found;
  return [...found, `${document} needs an installed package, and does not link to ${wayFromTheClone}`];
}

/** @returns {string[]} */
function readmeProblems() {
  const program = readFileSync(join(root, "examples/first-program/index.ts"), "utf8");
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const [, shown] = /^```ts\n([^]*?)^```/m.exec(readme) ?? [];
  return shown === program
    ? []
    : ["README.md shows another program than examples/first-program/index.ts, which is run"];
}

/**
 * @param {string} document
 * @param {string} text
 * @param {readonly string[]} files
 * @returns {string[]}
 */
export function missingFiles(document, text, files) {
  const names = [...text.matchAll(namedFile)].map(([, name = ""]) => name);
  const folders = [...text.matchAll(sourceDocuments.has(document) ? anyFolder : namedFolder)]
    .map(([, name = ""]) => name)
    .filter((name) => !otherFolder.test(name));
  return [
    ...names.filter((name) => !madeElsewhere.has(name) && !files.some((file) => `/${file}`.endsWith(`/${name}`))),
    ...folders.filter((name) => !files.some((file) => `/${file}`.includes(`/${name}`))),
  ].map((name) => `${document} names ${name}, which does not exist`);
}

/**
 * @param {string} document
 * @param {string} text
 * @returns {string[]}
 */
function missingCommands(document, text) {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const names = [...text.matchAll(namedCommand)].map(([, name = ""]) => name);
  return names
    .filter((name) => !Object.hasOwn(scripts, name))
    .map((name) => `${document} names the command "npm run ${name}", which does not exist`);
}

/**
 * @param {string} document
 * @param {string} text
 * @returns {string[]}
 */
function missingTargets(document, text) {
  return [...text.matchAll(link)].flatMap(([, target = "", title]) => {
    const file = normalize(join(dirname(document), target));
    if (!existsSync(join(root, file))) return [`${document} links to ${target}, which does not exist`];
    if (title === undefined || hasTest(file, title)) return [];
    return [`${document} names the test "${title}", which ${file} does not have`];
  });
}

/**
 * @param {string} file
 * @param {string} title of a test or of a group of tests, as its first argument is written
 */
function hasTest(file, title) {
  const source = readFileSync(join(root, file), "utf8");
  return source.includes(`"${title}", `) || source.includes(`"${title}",\n`) || source.includes(`'${title}', `);
}
