/** The options of the SDK generators in schema.json, by language. */
import { goPackage } from "./examples.mts";

/** Returns the `language` block of schema.json. */
export function languageBlocks(): Record<string, object> {
  return {
    nodejs: {
      packageName: "@pulumi-dag/dag",
      packageDescription: "SDK of the DAG provider's plugin, generated from its schema.",
      dependencies: { "@pulumi/pulumi": "^3.142.0" },
      respectSchemaVersion: true,
    },
    python: {
      packageName: "pulumi_dag",
      requires: { pulumi: ">=3.142.0,<4.0.0" },
      pyproject: { enabled: true },
      respectSchemaVersion: true,
    },
    go: {
      importBasePath: goPackage,
      rootPackageName: "dag",
      generateResourceContainerTypes: true,
      respectSchemaVersion: true,
    },
    csharp: {
      rootNamespace: "PulumiDag",
      packageReferences: { Pulumi: "3.*" },
      respectSchemaVersion: true,
    },
    java: {
      basePackage: "io.github.pulumidag",
      buildFiles: "none",
      dependencies: { "com.pulumi:pulumi": "1.0.0" },
    },
  };
}
