/** Pulumi's resource options, as far as dynamic resources differ from those of a plugin. */
import type { CustomResourceOptions } from "@pulumi/pulumi";
import { runError } from "./run-error";
import { updatedInputs } from "./types";

type Kind = keyof typeof updatedInputs;

/**
 * Refuses the options that the SDK's dynamic resources ignore or cannot serve.
 * @throws {RunError} that names the resource, the option and the remedy.
 */
export function requireSupported(kind: Kind, name: string, options: CustomResourceOptions): void {
  const reason = problemOf(kind, name, options);
  if (reason !== undefined) throw runError(`${kind} "${name}": dynamic resources do not support ${reason}`);
}

/**
 * Returns options that delete an old query before its replacement is created, unless the program says otherwise. The
 * provider asks for the same, but the SDK passes `false` to a resource transform, and the engine believes a transform that
 * returns its options more than the provider.
 */
export function withDeletionFirst(kind: Kind, options: CustomResourceOptions): CustomResourceOptions {
  const isQuery = kind === "SelectQuery" || kind === "SplitTable";
  return isQuery ? { ...options, deleteBeforeReplace: options.deleteBeforeReplace ?? true } : options;
}

function problemOf(kind: Kind, name: string, options: CustomResourceOptions): string | undefined {
  const { import: id, replaceOnChanges = [], provider, version, pluginDownloadURL } = options;
  if (id !== undefined) {
    return `import, because the engine passes them only the id; use dag.${kind}.get("${name}", "${id}") to refer to it`;
  }
  const ignored = replaceOnChanges.find((path) => path === "*" || updatedInputs[kind].includes(inputIn(path)));
  if (ignored !== undefined) {
    return (
      `replaceOnChanges "${ignored}", because the SDK does not tell the engine which of their inputs changed; ` +
      `put the value into triggers instead`
    );
  }
  if (provider !== undefined) {
    return `provider, because they use the configuration of the stack (dag:*); remove the option, or use the plugin`;
  }
  if (version !== undefined) {
    return `version "${version}", because they have no plugin; set the version of pulumi-dag in package.json`;
  }
  if (pluginDownloadURL !== undefined) {
    return `pluginDownloadURL "${pluginDownloadURL}", because they have no plugin; remove the option`;
  }
  return undefined;
}

/** Returns the input at the start of a property path, such as `expect` for `expect.rows`. */
function inputIn(path: string): string {
  return path.split(/[.[]/, 1)[0]!;
}
