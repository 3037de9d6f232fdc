/** Bills of materials in CycloneDX: what an installation of a package brings at the time of the release, or an archive contains. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { must } from "./step.mjs";

/** @typedef {{ name: string, version: string, purl: string, licenses?: string[] }} Component */

/**
 * @param {string} file
 * @param {Component} subject
 * @param {readonly Component[]} components
 */
export function writeSbom(file, subject, components) {
  const described = (/** @type {string} */ type, /** @type {Component} */ { name, version, purl, licenses }) => ({
    type,
    "bom-ref": purl,
    name,
    version,
    purl,
    ...(licenses && { licenses: licenses.map((license) => ({ expression: license })) }),
  });
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: described("application", subject) },
    components: components
      .toSorted((a, b) => (a.purl < b.purl ? -1 : 1))
      .map((component) => described("library", component)),
  };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
}

/**
 * Writes the bill of an npm package, which npm makes.
 *
 * @param {string} tarball
 * @param {string} file
 */
export async function writeNpmSbom(tarball, file) {
  await inWorkFolder(async (work) => {
    writeFileSync(join(work, "package.json"), JSON.stringify({ name: "sbom", version: "0.0.0", private: true }));
    await must("npm", ["install", "--package-lock-only", "--no-audit", "--no-fund", "--loglevel=error", tarball], {
      cwd: work,
    });
    const sbom = ["sbom", "--sbom-format=cyclonedx", "--package-lock-only", "--loglevel=silent"];
    const text = await must("npm", sbom, { cwd: work });
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text.slice(text.indexOf("{")));
  });
}

/**
 * Writes the bill of a Python package, as pip resolves it.
 *
 * @param {string} wheel
 * @param {string} file
 */
export async function writePythonSbom(wheel, file) {
  await inWorkFolder(async (work) => {
    const report = join(work, "report.json");
    const args = ["-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", report, wheel];
    await must("python3", args, { cwd: work });
    const { install } = JSON.parse(readFileSync(report, "utf8"));
    const components = /** @type {{ metadata: { name: string, version: string } }[]} */ (install).map(
      ({ metadata: { name, version } }) => ({
        name,
        version,
        purl: `pkg:pypi/${name.toLowerCase().replaceAll("_", "-")}@${version}`,
      }),
    );
    const own = components.find(({ name }) => wheel.includes(name.replaceAll("-", "_")));
    if (own === undefined) throw new Error(`pip's report does not have ${wheel}`);
    const others = components.filter((each) => each !== own);
    writeSbom(file, own, others);
  });
}

/**
 * Writes the bill of a Go module: the modules of its build list.
 *
 * @param {string} folder of the module
 * @param {Component} subject
 * @param {string} file
 * @param {NodeJS.ProcessEnv} env
 */
export async function writeGoSbom(folder, subject, file, env) {
  const format = "{{if not .Main}}{{.Path}} {{.Version}}{{end}}";
  const modules = await must("go", ["list", "-m", "-f", format, "all"], { cwd: folder, env });
  const components = modules.split("\n").flatMap((line) => {
    const [name = "", version = ""] = line.trim().split(" ");
    return /^v\d/.test(version) ? [{ name, version, purl: `pkg:golang/${name}@${version}` }] : [];
  });
  writeSbom(file, subject, components);
}

/** @param {(work: string) => Promise<void>} action */
async function inWorkFolder(action) {
  const work = mkdtempSync(join(tmpdir(), "pulumi-dag-sbom-"));
  try {
    await action(work);
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 3 });
  }
}
