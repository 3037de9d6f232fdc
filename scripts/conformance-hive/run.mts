/** Generates statements, asks both engines, and reports what differs in its smallest form. */
import fc from "fast-check";
import type { Answer, Engine } from "./answers.mts";
import { askExpressions } from "./batches.mts";
import { compareAnswers, type Outcome, sameValue } from "./compare.mts";
import { castsOver, type Expressions, expressionsOver } from "./expressions.mts";
import { queriesOver } from "./queries.mts";
import { shrink } from "./shrink.mts";
import { pool } from "./tables.mts";
import { generate } from "./generate.mts";
import { type Term, write } from "./term.mts";
import type { Callable } from "./vocabulary.mts";

/** A statement on which the engines do not agree, and why. */
export interface Disagreement {
  readonly outcome: Outcome;
  /** As small as it was made. */
  readonly statement: string;
  /** As it was generated. */
  readonly generated: string;
  readonly hive: string;
  readonly ours: string;
}

/** How many statements came to what. */
export type Tally = Map<Outcome, number>;

export interface RunContext {
  readonly hive: Engine;
  readonly ours: Engine;
  readonly functions: readonly Callable[];
  readonly seed: number;
  readonly tally: Tally;
  readonly report: (found: Disagreement) => void;
}

/** Nested as deep as answers can still be told apart by reading. */
const depth = 2;

/** Compares expressions over the pool's rows or without a table, many in one statement of Hive. */
export async function compareExpressions(
  context: RunContext,
  kind: "expressions" | "literals" | "casts",
  cases: number,
  functionName?: string,
): Promise<void> {
  const from = kind === "literals" ? "" : "FROM pool";
  const scope = { tables: kind === "literals" ? [] : [{ prefix: "", table: pool }] };
  const expressions = expressionsOver(context.functions, scope);
  const generated = generate(expressionsOf(context, kind, expressions, functionName), cases, context.seed);
  const both = (terms: readonly Term[]) => askBoth(context, terms, from);
  for (let start = 0; start < generated.length; start += 120) {
    const some = generated.slice(start, start + 120);
    for (const [index, { outcome }] of (await both(some)).entries()) {
      count(context.tally, outcome);
      if (!isDisagreement(outcome)) continue;
      const whole = some[index] as Term;
      const smallest = await shrink(
        whole,
        async (terms) => (await both(terms)).map((each) => each.outcome === outcome),
        { atOnce: 60, steps: 12 },
      );
      const [alone] = await both([smallest]);
      if (alone?.outcome !== outcome) continue;
      const { hive, ours } = alone;
      reportOnce(context, {
        outcome,
        statement: `SELECT ${write(smallest)} ${from}`.trim(),
        generated: write(whole),
        ...said(hive, ours),
      });
    }
  }
}

/** Compares whole statements, one by one. */
export async function compareQueries(context: RunContext, cases: number): Promise<void> {
  for (const query of generate(queriesOver(context.functions), cases, context.seed)) {
    const { outcome } = await askQuery(context, query);
    count(context.tally, outcome);
    if (!isDisagreement(outcome)) continue;
    let left = 60;
    const smallest = await shrink(
      query,
      async ([term]) => {
        left -= 1;
        return [left > 0 && term !== undefined && (await askQuery(context, term)).outcome === outcome];
      },
      { atOnce: 1, steps: 20 },
    );
    const { hive, ours } = await askQuery(context, smallest);
    reportOnce(context, { outcome, statement: write(smallest), generated: write(query), ...said(hive, ours) });
  }
}

interface Compared {
  readonly hive: Answer;
  readonly ours: Answer;
  readonly outcome: Outcome;
}

const missing: Answer = { kind: "refused", message: "not asked" };

/** What ours refuses Hive is not asked. */
async function askBoth({ hive, ours }: RunContext, terms: readonly Term[], from: string): Promise<Compared[]> {
  const texts = terms.map((term) => write(term));
  const ourAnswers: Answer[] = [];
  for (const text of texts) ourAnswers.push(oneColumn(await ours.ask(`SELECT ${text} ${from}`)));
  const asked = texts.filter((_text, index) => ourAnswers[index]?.kind !== "refused");
  const hiveAnswers = (await askExpressions(hive, asked, from)).values();
  return ourAnswers.map((answer) => {
    if (answer.kind === "refused") return { hive: missing, ours: answer, outcome: "refused" };
    const theirs = hiveAnswers.next().value ?? missing;
    return { hive: theirs, ours: answer, outcome: compareAnswers(theirs, answer, false) };
  });
}

/** A smaller term may be a list of expressions, which is none. */
function oneColumn(answer: Answer): Answer {
  return answer.kind === "rows" && answer.types?.length !== 1 ? missing : answer;
}

async function askQuery({ hive, ours }: RunContext, query: Term): Promise<Compared> {
  const answer = await ours.ask(write(query));
  if (answer.kind === "refused") return { hive: missing, ours: answer, outcome: "refused" };
  const theirs = await hive.ask(write(query));
  return { hive: theirs, ours: answer, outcome: compareAnswers(theirs, answer, true) };
}

function expressionsOf(
  { functions }: RunContext,
  kind: string,
  expressions: Expressions,
  name?: string,
): fc.Arbitrary<Term> {
  if (name !== undefined) {
    const named = functions.filter((callable) => callable.name === name && callable.kind === "scalar");
    if (named.length === 0) throw new TypeError(`${name} is no scalar function that is compared`);
    return fc.oneof(...named.map((callable) => expressions.call(callable, depth - 1)));
  }
  if (kind === "casts") return castsOver(expressions);
  const calls = functions
    .filter((callable) => callable.kind === "scalar")
    .map((callable) => expressions.call(callable, depth - 1));
  return fc.oneof({ arbitrary: fc.oneof(...calls), weight: 3 }, { arbitrary: expressions.any(depth), weight: 2 });
}

const isDisagreement = (outcome: Outcome) => outcome === "different" || outcome === "accepted only here";

function count(tally: Tally, outcome: Outcome) {
  tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
}

const reported = new Set<string>();

function reportOnce({ report }: RunContext, found: Disagreement) {
  if (reported.has(found.statement)) return;
  reported.add(found.statement);
  report(found);
}

/** The answers in words: their rows that differ where both have as many, else all. */
function said(hive: Answer, ours: Answer): { hive: string; ours: string } {
  if (hive.kind !== "rows" || ours.kind !== "rows") return { hive: inWords(hive), ours: inWords(ours) };
  const isColumn = hive.types !== undefined && hive.rows.length === ours.rows.length;
  const differ = (row: readonly (string | null)[], index: number) =>
    !isColumn || !sameValue(row[0] ?? null, ours.rows[index]?.[0] ?? null, hive.types?.[0] ?? "");
  const rows = hive.rows.flatMap((row, index) => (differ(row, index) ? [index] : [])).slice(0, 20);
  const only = (answer: typeof hive): Answer => ({
    ...answer,
    rows: isColumn ? rows.map((index) => answer.rows[index] ?? []) : answer.rows.slice(0, 20),
  });
  return { hive: inWords(only(hive)), ours: inWords(only(ours)) };
}

function inWords(answer: Answer): string {
  if (answer.kind !== "rows") return `${answer.kind}: ${answer.message.split("\n")[0]?.slice(0, 400)}`;
  const rows = answer.rows.map((row) => row.map((cell) => (cell === null ? "NULL" : JSON.stringify(cell))).join(" "));
  return `${rows.join(" | ")} (${answer.types?.join(", ") ?? ""})`;
}
