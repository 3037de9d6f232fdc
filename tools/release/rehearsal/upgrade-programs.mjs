/** The stacks that are upgraded: a table, a query of it and, while LASTING is set, a query that lasts; by each front end. */

/** Declares the table of {@link lastingStatement}: a value of the service's `--tables`. */
export const numbersTable = '[{database: data, table: numbers, schema: "bigint n"}]';

/** Runs for seconds on 40,000 numbers, and has one row. */
export const lastingStatement =
  "SELECT sum((a.n * b.n) % 7) > 0 AS answered FROM data.numbers a CROSS JOIN data.numbers b";

/** The same of both front ends; `make` is theirs. */
const program = `
const birds = make("SplitTable", "birds", {
  clusterName: "demo",
  inputObjectKeys: ["dag://data/raw/birds.csv"],
  outputDatabase: "tables",
  schema: "string bird, int eggs",
}, ["qualifiedName"]);
const select = (name, query) => make("SelectQuery", name, {
  clusterName: "demo",
  query,
  outputResourcePath: \`dag://results/\${front}-\${name}/\`,
  resultRows: 10,
}, ["result"]).result.apply((result) => result?.rows);
const condition = process.env.CONDITION ?? "";
exports.rows = select("eggs", birds.qualifiedName.apply((table) => \`SELECT sum(eggs) AS eggs FROM \${table} \${condition}\`));
if (process.env.LASTING) exports.lasting = select("lasting", process.env.LASTING);
`;

/** Prints the number of queries that run. */
const running = `const { Client } = require("pulumi-dag/client");
const { DAG_ENDPOINT: endpoint, DAG_ACCESS_KEY_ID: accessKeyId, DAG_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
const client = new Client({ endpoint, accessKeyId, secretAccessKey });
client.listQueries({ status: ["running"] }).then(async ({ queries }) => {
  console.log(queries.filter(({ status }) => status === "running").length);
  await client.close();
});
`;

const manifest = JSON.stringify({ private: true, main: "index.js" });

/** The files of each front end's project. */
export const upgradedPrograms = {
  dynamic: {
    "package.json": manifest,
    "Pulumi.yaml": "name: dynamic\nruntime: nodejs\n",
    "running.js": running,
    "index.js": `const dag = require("pulumi-dag");
const front = "dynamic";
const make = (type, name, args) => new dag[type](name, args);
${program}`,
  },
  // What a generated SDK does, of which each version has its own.
  plugin: {
    "package.json": manifest,
    "Pulumi.yaml":
      "name: plugin\nruntime: nodejs\nplugins:\n  providers:\n    - name: dag\n      path: ./node_modules/pulumi-dag/bin\n",
    "index.js": `const { CustomResource } = require("@pulumi/pulumi");
const front = "plugin";
const make = (type, name, args, outputs) =>
  new CustomResource(\`dag:index:\${type}\`, name, { ...args, ...Object.fromEntries(outputs.map((key) => [key, undefined])) });
${program}`,
  },
};
