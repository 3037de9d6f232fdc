/** Finds the dependencies of a program: npm packages, and the Pulumi plugins that these packages need. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The fields of package.json that this module reads. */
interface Manifest {
  name?: string;
  version?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  pulumi?: {
    resource?: boolean;
    name?: string;
    version?: string;
    server?: string;
    parameterization?: { name: string; version: string; value: string };
  };
}

/** A resource plugin that an npm package needs. */
export interface RequiredPlugin {
  name: string;
  version: string;
  server: string;
  /** The parameters of a parameterised plugin; `value` is base64. */
  parameterization?: { name: string; version: string; value: string };
}

/** An npm package and its installed version. */
export interface Dependency {
  name: string;
  version: string;
}

/**
 * Returns the resource plugins of the npm packages that a program can import: packages with
 * `"pulumi": {"resource": true}` in package.json.
 *
 * @param folder of the program
 */
export function requiredPlugins(folder: string): RequiredPlugin[] {
  const found = new Map<string, RequiredPlugin>();
  for (const manifest of reachablePackages(folder)) {
    const plugin = pluginOf(manifest);
    // Node.js resolves to the nearest node_modules.
    if (plugin && !found.has(plugin.name)) found.set(plugin.name, plugin);
  }
  return [...found.values()];
}

/**
 * Returns the npm packages that a program's package.json names; with `transitive`, also their dependencies.
 *
 * @param folder of the program
 */
export function dependenciesOf(folder: string, transitive: boolean): Dependency[] {
  const found = new Map<string, Dependency>();
  const visit = (from: string, names: Record<string, string> | undefined): void => {
    for (const name of Object.keys(names ?? {})) {
      const installed = installedPackage(from, name);
      if (!installed || found.has(installed)) continue;
      const manifest = readManifest(installed);
      found.set(installed, { name, version: manifest?.version ?? "" });
      if (transitive) visit(installed, manifest?.dependencies);
    }
  };
  const manifest = readManifest(folder);
  visit(folder, { ...manifest?.dependencies, ...manifest?.devDependencies });
  return [...found.values()];
}

function* reachablePackages(folder: string): Generator<Manifest> {
  for (const modules of ancestors(folder).map((parent) => join(parent, "node_modules"))) {
    for (const name of foldersIn(modules)) {
      const packages = name.startsWith("@")
        ? foldersIn(join(modules, name)).map((inner) => `${name}/${inner}`)
        : [name];
      for (const each of packages) {
        const manifest = readManifest(join(modules, each));
        if (manifest) yield manifest;
      }
    }
  }
}

function pluginOf({ name = "", version = "", pulumi }: Manifest): RequiredPlugin | undefined {
  if (!pulumi?.resource) return undefined;
  return {
    name: pulumi.name ?? name.replace(/^@[^/]+\//, ""),
    version: `v${(pulumi.version ?? version).replace(/^v/, "")}`,
    server: pulumi.server ?? "",
    ...(pulumi.parameterization && { parameterization: pulumi.parameterization }),
  };
}

function installedPackage(folder: string, name: string): string | undefined {
  return ancestors(folder)
    .map((parent) => join(parent, "node_modules", name))
    .find((candidate) => existsSync(join(candidate, "package.json")));
}

function ancestors(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

function foldersIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith(".")) : [];
}

function readManifest(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  } catch {
    return undefined;
  }
}
