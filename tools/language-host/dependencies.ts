/** What a program depends on: npm packages, and the Pulumi plugins that those need. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The part of a package.json that is read here. */
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

/** A resource plugin that an npm package stands for. */
export interface RequiredPlugin {
  name: string;
  version: string;
  server: string;
  /** What a parameterised plugin is told to become; `value` is base64. */
  parameterization?: { name: string; version: string; value: string };
}

/** An npm package and its installed version. */
export interface Dependency {
  name: string;
  version: string;
}

/**
 * The resource plugins of the npm packages that a program can reach: those whose package.json says
 * `"pulumi": {"resource": true}`.
 *
 * @param folder the program's
 */
export function requiredPlugins(folder: string): RequiredPlugin[] {
  const found = new Map<string, RequiredPlugin>();
  for (const manifest of reachablePackages(folder)) {
    const plugin = pluginOf(manifest);
    // The nearest node_modules is the one that the program gets.
    if (plugin && !found.has(plugin.name)) found.set(plugin.name, plugin);
  }
  return [...found.values()];
}

/**
 * The npm packages that a program names, and with `transitive` all that those need in turn.
 *
 * @param folder the program's
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
