import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  CharStreams,
  CommonTokenStream,
  HiveSqlLexer,
  HiveSqlParser,
  PredictionMode,
} from "../../../../hiveql/syntax/grammar";
import { parseStatement } from "../../../../hiveql/syntax/parse";

const root = join(__dirname, "../../../..");
const tpch = join(root, "test/bench/tpch/hive");
const golden = readFileSync(join(root, "test/conformance/golden/cases/cases.jsonl"), "utf8");

const statements = [
  ...readdirSync(tpch).map((name) => readFileSync(join(tpch, name), "utf8")),
  ...golden
    .split("\n")
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { readonly query: string }).query),
  "SELECT 1",
  "SELECT t.*, d.t.*, t.a.b.c, `d`.`t`.a FROM d.t t",
  "SELECT a.b[1].c, m['k'].x.y FROM d.t WHERE a.b.c > 1 GROUP BY a.b.c ORDER BY a.b.c",
  "SELECT extract(day FROM ts), trim(BOTH 'x' FROM s), (SELECT max(a) FROM u) FROM t",
  "SELECT a FROM (SELECT a FROM d.t) x WHERE a IN (SELECT b FROM d.u.m) UNION ALL SELECT 1 UNION ALL SELECT date FROM t",
  "SELECT x.year, x.date.day FROM t LATERAL VIEW explode(x.list) l AS year ORDER BY x.year",
  "SELECT count(*) FROM t GROUP BY t.a, t.b WITH ROLLUP HAVING t.a > 1",
  "FROM t SELECT a",
];

/** The tree that the grammar finds by itself. */
function treeOf(text: string): string {
  const tokens = new CommonTokenStream(new HiveSqlLexer(CharStreams.fromString(text)));
  const parser = new HiveSqlParser(tokens);
  parser.removeErrorListeners();
  parser.interpreter.predictionMode = PredictionMode.SLL;
  return parser.program().toStringTree(HiveSqlParser.ruleNames, parser);
}

test("parseStatement: decisions by the next tokens give the trees of the grammar", () => {
  let compared = 0;
  for (const text of statements) {
    let tree: string;
    try {
      tree = parseStatement(text).tree.toStringTree(HiveSqlParser.ruleNames, null!);
    } catch {
      continue;
    }
    expect(tree, text).toBe(treeOf(text.trim().replace(/;$/, "")));
    compared += 1;
  }
  expect(compared).toBeGreaterThan(70);
});
