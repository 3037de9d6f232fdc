/** Imports flow one way; see ARCHITECTURE.md. Each rule names what is forbidden and why. */

/**
 * What one part may not import: everything of ours but itself and what is named.
 *
 * @param {string} part a folder
 * @param {string[]} allowed folders and files, as regular expressions from the repository's folder
 * @param {string} comment why
 */
const only = (part, allowed, comment) => ({
  name: `${part.replaceAll("/", "-")}-imports-only`,
  severity: "error",
  comment,
  from: { path: `^${part}/` },
  to: {
    path: "^(contract|storage|hiveql|provider|service|console|tools|scripts|test|examples)/",
    pathNot: [`^${part}/`, ...allowed.map((each) => `^${each}`)],
  },
});

module.exports = {
  forbidden: [
    {
      name: "no-circular",
      severity: "error",
      comment: "A cycle has no direction. The readers of the syntax tree recurse as the grammar does.",
      from: { pathNot: "^hiveql/syntax/read-[a-z]+\\.ts$" },
      to: { circular: true },
    },
    {
      name: "no-unresolvable",
      severity: "error",
      comment: "An import that cannot be resolved fails when it runs.",
      from: { pathNot: "^examples/" },
      to: { couldNotResolve: true, pathNot: "^(pulumi-dag|dag-service|hiveql-duckdb)(/|$)" },
    },
    only("contract", [], "The contract imports nothing of ours: the other packages stand on it."),
    only("storage", ["contract/"], "Storage knows locations and their errors, nothing else."),
    only("hiveql", [], "The translator is a package of its own, usable without the service."),
    only("hiveql/syntax", [], "Reading HiveQL needs nothing of the translator."),
    only("hiveql/runtime", [], "What runs inside DuckDB knows nothing of the statement."),
    only("hiveql/tree", ["hiveql/syntax/", "hiveql/runtime/"], "The typed tree is data; the phases stand on it."),
    only("hiveql/sql", ["hiveql/(syntax|runtime|tree)/"], "Pieces of SQL know the tree and not who asks for them."),
    only(
      "hiveql/functions",
      ["hiveql/(syntax|runtime|tree|sql)/"],
      "A function's entry knows its arguments and not the statement around it.",
    ),
    only(
      "hiveql/emit",
      ["hiveql/(syntax|runtime|tree|sql|functions)/"],
      "Making SQL of the tree decides nothing and knows nothing of scopes.",
    ),
    only(
      "hiveql/bind",
      ["hiveql/(syntax|runtime|tree|functions)/", "hiveql/settings\\.ts$"],
      "Binding a statement makes the typed tree of it, without SQL.",
    ),
    {
      name: "bind-and-functions-reach-no-emit",
      severity: "error",
      comment: "Only emit makes the SQL of a statement; it asks a function's entry for the SQL of a call.",
      from: { path: "^hiveql/(bind|functions|tree|sql)/" },
      to: { path: "^hiveql/emit/", reachable: true },
    },
    only(
      "provider",
      ["contract/", "storage/", "hiveql/syntax/"],
      "The provider talks to any service, over HTTP; of HiveQL it needs the syntax.",
    ),
    only("console", ["contract/"], "The console is a client of the API like any other."),
    only("service", ["contract/", "storage/", "hiveql/"], "The service answers any client."),
    only("provider/client", ["contract/"], "The client speaks the contract; what resources do with it is above."),
    only(
      "provider/lifecycles",
      ["contract/", "storage/", "hiveql/syntax/", "provider/client/"],
      "Lifecycles use the client; both front ends use them.",
    ),
    only(
      "provider/dynamic",
      ["contract/", "storage/", "hiveql/syntax/", "provider/(?!plugin/)"],
      "The two front ends do not know each other.",
    ),
    only(
      "provider/plugin",
      ["contract/", "storage/", "hiveql/syntax/", "provider/(?!dynamic/)"],
      "The two front ends do not know each other.",
    ),
    {
      name: "lifecycles-without-pulumi-or-http",
      severity: "error",
      comment: "A lifecycle is used by two front ends and tested without either.",
      from: { path: "^(contract|storage|hiveql|provider/client|provider/lifecycles)/" },
      to: { path: "node_modules/@pulumi/" },
    },
    {
      name: "one-file-a-resource",
      severity: "error",
      comment: "A resource is read from top to bottom. What it calls is a plain function that knows no resource.",
      from: { path: "^provider/lifecycles/(?!index\\.ts$)" },
      to: { path: "^provider/lifecycles/resources/" },
    },
    {
      name: "http-only-in-the-client",
      severity: "error",
      comment: "One place sends requests.",
      from: { path: "^(contract|hiveql|provider)/", pathNot: "^provider/client/" },
      to: { path: ["node_modules/undici/", "^(node:)?https?$"] },
    },
    {
      name: "core-knows-ports-only",
      severity: "error",
      comment: "The service's rules stand apart from HTTP, engines and the database.",
      from: { path: "^service/core/" },
      to: { path: "^(service|hiveql)/", pathNot: "^(service/core/|hiveql/syntax/nearest-name\\.ts$)" },
    },
    {
      name: "http-imports-core",
      severity: "error",
      comment: "Routes hold no behaviour and know no adapter.",
      from: { path: "^service/http/" },
      to: { path: "^(hiveql/|service/(engines|state|testing|main|compose))" },
    },
    {
      name: "adapters-behind-ports",
      severity: "error",
      comment: "An adapter implements a port of the core; it knows neither HTTP nor another adapter.",
      from: { path: "^service/(engines|state|openlineage)/" },
      to: { path: "^service/(http|testing|main|compose)" },
    },
    {
      name: "engines-and-state-apart",
      severity: "error",
      comment: "An adapter knows no other adapter.",
      from: { path: "^service/engines/" },
      to: { path: "^service/state/" },
    },
    {
      name: "state-and-engines-apart",
      severity: "error",
      comment: "An adapter knows no other adapter.",
      from: { path: "^service/state/" },
      to: { path: "^service/engines/" },
    },
    only(
      "service/split",
      ["contract/", "storage/", "service/core/ports/engine-error\\.ts$"],
      "Cutting objects needs no SQL engine and serves every cluster.",
    ),
    {
      name: "tables-without-other-engines",
      severity: "error",
      comment: "What other engines must know of tables is asked of them, by external/.",
      from: { path: "^service/engines/duckdb/tables/" },
      to: { path: "^service/engines/duckdb/external/" },
    },
    {
      name: "only-composition-knows-adapters",
      severity: "error",
      comment: "Which engine and which database: main.ts, compose.ts and compose-storage.ts decide.",
      from: {
        path: "^service/",
        pathNot: "^service/(main\\.ts|compose(-storage)?\\.ts|testing/|engines/|state/|openlineage/)",
      },
      to: { path: "^service/(engines|state|openlineage)/" },
    },
    {
      name: "nothing-of-node-in-the-browser",
      severity: "error",
      comment: "The console runs in a browser, and so does what it takes from the contract.",
      from: { path: "^console/src/" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "no-development-package-at-run-time",
      severity: "error",
      comment: "What the packages import must be installed with them.",
      from: { path: "^(contract|storage|hiveql|provider|service)/", pathNot: "^hiveql/syntax/grammar\\.ts$" },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"], dependencyTypesNot: ["type-only", "npm-peer"] },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(dist|node_modules/\\.cache)/" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: [".ts", ".tsx", ".mts", ".js", ".mjs", ".cjs", ".json"],
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
    },
  },
};
