/** Generates statements, runs them on both engines, and reports each difference in its smallest form. */
import fc from "fast-check";
import type { Answer, Engine } from "./engine.mts";
import { askExpressions } from "./batches.mts";
import { isWrongExpression, isWrongInHive } from "./deviations.mts";
import { compareAnswers, type Outcome, sameValue } from "./compare-answers.mts";
import { argumentCases } from "./generate/argument-cases.mts";
import { aggregatesOf } from "./generate/group-queries.mts";
import type { EmbeddedEngine } from "./embedded-engine.mts";
import { castsOver, type Expressions, expressionsOver } from "./generate/expressions.mts";
import { overLakes } from "./generate/lakes.mts";
import { queriesOver } from "./generate/queries.mts";
import { rowOrderOver } from "./generate/row-order-queries.mts";
import { sourcesOver } from "./generate/sources.mts";
import { shrink } from "./shrink.mts";
import { limitsTable } from "./generate/tables.mts";
import { sampleTerms } from "./generate/sample-terms.mts";
import { type Term, toSql } from "./generate/term.mts";
import type { Callable } from "./generate/callables.mts";

/** A statement on which the engines disagree, and their answers. */
export interface Disagreement {
  readonly outcome: Outcome;
  /** The statement after shrinking. */
  readonly statement: string;
  /** The statement before shrinking. */
  readonly generated: string;
  readonly hive: string;
  readonly embedded: string;
}

/** The number of statements with each outcome. */
export type Tally = Map<Outcome, number>;

export interface RunContext {
  readonly hive: Engine;
  readonly embedded: EmbeddedEngine;
  /** The number of statements that Hive runs at once. */
  readonly sessions: number;
  readonly functions: readonly Callable[];
  readonly seed: number;
  readonly tally: Tally;
  readonly report: (found: Disagreement) => void;
}

/** The depth of generated expressions; a person can still read expressions of this depth. */
const depth = 2;

/**
 * The kinds of generated expressions. `literals` are expressions without a table. `arguments` are calls with arguments
 * of every type; a run compares all of them when the number of cases is large enough.
 */
export type ExpressionKind = "expressions" | "literals" | "casts" | "aggregates" | "arguments";

/** Compares expressions over the rows of `pool` or without a table, many in one statement of Hive. */
export async function compareExpressions(
  context: RunContext,
  kind: ExpressionKind,
  cases: number,
  functionName?: string,
): Promise<void> {
  const from = kind === "literals" ? "" : "FROM pool";
  const scope = { tables: kind === "literals" ? [] : [{ prefix: "", table: limitsTable }] };
  const expressions = expressionsOver(context.functions, scope);
  const generated = generateTerms(context, kind, expressions, cases, functionName);
  const both = (terms: readonly Term[]) => askBoth(context, terms, from);
  for (let start = 0; start < generated.length; start += 120) {
    const some = generated.slice(start, start + 120);
    for (const [index, together] of (await both(some)).entries()) {
      const whole = some[index] as Term;
      // Repeats a disagreement alone, because an expression may change how Hive evaluates others of the same statement.
      const { outcome, hive } = isDisagreement(together.outcome) ? ((await both([whole]))[0] ?? together) : together;
      count(context.tally, outcome);
      if (!isDisagreement(outcome) || wasReported(outcome, hive)) continue;
      const smallest = await shrink(
        whole,
        async (terms) =>
          (await both(terms)).map((each) => each.outcome === outcome && reasonOf(each.hive) === reasonOf(hive)),
        { batchSize: 60, maxSteps: 12 },
      );
      const [alone] = await both([smallest]);
      const [shown, answers] = alone?.outcome === outcome ? [smallest, alone] : [whole, together];
      reportOnce(context, {
        outcome,
        statement: `SELECT ${toSql(shown)} ${from}`.trim(),
        generated: toSql(whole),
        ...describeColumns(answers.hive, answers.embedded),
      });
    }
  }
}

/** The number of statements to generate for each statement that the embedded engine accepts. */
const maxTriesPerQuery = 4;

/**
 * The kinds of whole statements: over the small tables, over partitions and Parquet files, and with rows that have an
 * order without ORDER BY.
 */
export type QueryKind = "queries" | "lakes" | "order";

export const isQueryKind = (kind: string): kind is QueryKind =>
  kind === "queries" || kind === "lakes" || kind === "order";

const generators: Readonly<Record<QueryKind, (functions: readonly Callable[]) => fc.Arbitrary<Term>>> = {
  queries: queriesOver,
  lakes: (functions) => overLakes(queriesOver(functions)),
  order: (functions) => rowOrderOver(sourcesOver(functions)),
};

/** Compares whole statements, one in each session of Hive. Refused statements do not count towards `cases`. */
export async function compareQueries(context: RunContext, kind: QueryKind, cases: number): Promise<void> {
  const queries = sampleTerms(generators[kind](context.functions), cases * maxTriesPerQuery, context.seed).values();
  const isOrdered = kind === "order";
  let left = cases;
  const work = async () => {
    for (const query of queries) {
      if (left <= 0) return;
      left -= 1;
      if (!(await compareQuery({ ...context, isOrdered }, query))) left += 1;
    }
  };
  await Promise.all(Array.from({ length: context.sessions }, work));
}

interface QueryContext extends RunContext {
  /** True when the rows of statements without GROUP BY have an order. */
  readonly isOrdered: boolean;
}

/** @returns true when the embedded engine accepts the statement. */
async function compareQuery(context: QueryContext, query: Term): Promise<boolean> {
  const first = await askQuery(context, query);
  // Repeats a disagreement once, because a busy server sometimes fails.
  const { outcome, hive } = isDisagreement(first.outcome) ? await askQuery(context, query) : first;
  count(context.tally, outcome);
  if (isDisagreement(outcome) && !wasReported(outcome, hive)) await reportQuery(context, query, outcome, hive);
  return outcome !== "refused" && outcome !== "left out";
}

async function reportQuery(context: QueryContext, query: Term, outcome: Outcome, hive: Answer): Promise<void> {
  let left = 60;
  const smallest = await shrink(
    query,
    async ([term]) => {
      left -= 1;
      if (left <= 0 || term === undefined) return [false];
      const smaller = await askQuery(context, term);
      return [smaller.outcome === outcome && reasonOf(smaller.hive) === reasonOf(hive)];
    },
    { batchSize: 1, maxSteps: 20 },
  );
  const last = await askQuery(context, smallest);
  const words = describeAnswers(last.hive, last.embedded);
  reportOnce(context, { outcome, statement: toSql(smallest), generated: toSql(query), ...words });
}

interface ComparedAnswers {
  readonly hive: Answer;
  readonly embedded: Answer;
  readonly outcome: Outcome;
}

const notAsked: Answer = { kind: "refused", message: "not asked" };

/** Runs expressions on both engines; sends only those to Hive that the embedded engine accepts. */
async function askBoth(
  { hive, embedded }: RunContext,
  terms: readonly Term[],
  from: string,
): Promise<ComparedAnswers[]> {
  const texts = terms.map((term) => toSql(term));
  const embeddedAnswers: Answer[] = [];
  for (const text of texts) embeddedAnswers.push(oneColumn(await embedded.ask(`SELECT ${text} ${from}`)));
  const asked = texts.filter((text, index) => embeddedAnswers[index]?.kind !== "refused" && !isWrongExpression(text));
  const hiveAnswers = (await askExpressions(hive, asked, from)).values();
  return embeddedAnswers.map((answer, index) => {
    if (answer.kind === "refused") return { hive: notAsked, embedded: answer, outcome: "refused" };
    if (isWrongExpression(texts[index] ?? "")) return { hive: notAsked, embedded: answer, outcome: "left out" };
    const theirs = hiveAnswers.next().value ?? notAsked;
    return {
      hive: theirs,
      embedded: answer,
      outcome: compareAnswers(theirs, answer, "column", hasRoundingNoise(texts[index] ?? "")),
    };
  });
}

/** Returns true for variances and similar aggregates: differences of sums that may leave a rounding error for zero. */
const hasRoundingNoise = (text: string) => /\b(std|var|cov|corr|regr)/.test(text);

/** Replaces an answer of several columns: a shrunk term may be a list of expressions, which is not one expression. */
function oneColumn(answer: Answer): Answer {
  return answer.kind === "rows" && answer.types?.length !== 1 ? notAsked : answer;
}

async function askQuery({ hive, embedded, isOrdered }: QueryContext, query: Term): Promise<ComparedAnswers> {
  const text = toSql(query);
  const answer = await embedded.ask(text);
  if (answer.kind === "refused") return { hive: notAsked, embedded: answer, outcome: "refused" };
  if (isWrongInHive(text)) return { hive: notAsked, embedded: answer, outcome: "left out" };
  const theirs = await hive.ask(text);
  const rows = isOrdered && !text.includes(" GROUP BY ") ? "ordered rows" : "rows";
  return { hive: theirs, embedded: answer, outcome: compareAnswers(theirs, answer, rows, hasRoundingNoise(text)) };
}

function generateTerms(
  { functions, embedded, seed }: RunContext,
  kind: ExpressionKind,
  expressions: Expressions,
  cases: number,
  name?: string,
): Term[] {
  const chosen = name === undefined ? functions : functions.filter((callable) => callable.name === name);
  if (chosen.length === 0)
    throw new TypeError(`--function ${String(name)} is not a function that this run compares: check its name`);
  if (kind === "casts") return sampleTerms(castsOver(expressions), cases, seed);
  if (kind === "aggregates") return sampleTerms(aggregatesOf(chosen)(expressions), cases, seed);
  const scalars = chosen.filter((callable) => callable.kind === "scalar");
  if (kind === "arguments") {
    const all = argumentCases(scalars, (text) => embedded.typeOf(`SELECT ${text}`) !== undefined);
    return cases < all.length ? sampleTerms(fc.constantFrom(...all), cases, seed) : all;
  }
  const calls = fc.oneof(...scalars.map((callable) => expressions.call(callable, depth - 1)));
  if (name !== undefined) return sampleTerms(calls, cases, seed);
  return sampleTerms(
    fc.oneof({ arbitrary: calls, weight: 3 }, { arbitrary: expressions.any(depth), weight: 2 }),
    cases,
    seed,
  );
}

const isDisagreement = (outcome: Outcome) => outcome === "different" || outcome === "accepted only here";

function count(tally: Tally, outcome: Outcome) {
  tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
}

const reportedStatements = new Set<string>();
const reportedReasons = new Set<string>();
/** Messages that Hive has for many different reasons. */
const uninformative = /Failed to breakup Windowing|return code \S+ from|Error running query/;

/** Returns Hive's error message without names, values and positions; empty when Hive returns rows. */
function reasonOf(answer: Answer): string {
  if (answer.kind === "rows") return "";
  const [first = ""] = answer.message.split("\n");
  return first.replaceAll(/'[^']*'|"[^"]*"|\d+|\b[ab]\.\w+/g, "…").slice(0, 200);
}

/** Returns true when a statement with the same reason was reported before; such statements are only counted. */
function wasReported(outcome: Outcome, hive: Answer): boolean {
  const reason = reasonOf(hive);
  if (outcome === "different" || uninformative.test(reason)) return false;
  const isRepeated = reportedReasons.has(reason);
  reportedReasons.add(reason);
  return isRepeated;
}

function reportOnce({ report }: RunContext, found: Disagreement) {
  if (reportedStatements.has(found.statement)) return;
  reportedStatements.add(found.statement);
  report(found);
}

/** Describes the answers to an expression: the rows that differ when both have the same number of rows, else all. */
function describeColumns(hive: Answer, embedded: Answer): { hive: string; embedded: string } {
  if (hive.kind !== "rows" || embedded.kind !== "rows" || hive.rows.length !== embedded.rows.length)
    return describeAnswers(hive, embedded);
  const type = hive.types?.[0] ?? "";
  const rows = hive.rows.flatMap((row, index) =>
    sameValue(row[0] ?? null, embedded.rows[index]?.[0] ?? null, type) ? [] : [index],
  );
  const only = (answer: typeof hive): Answer => ({ ...answer, rows: rows.map((index) => answer.rows[index] ?? []) });
  return describeAnswers(only(hive), only(embedded));
}

const describeAnswers = (hive: Answer, embedded: Answer) => ({
  hive: describeAnswer(hive),
  embedded: describeAnswer(embedded),
});

function describeAnswer(answer: Answer): string {
  if (answer.kind !== "rows") return `${answer.kind}: ${answer.message.split("\n")[0]?.slice(0, 400)}`;
  const shown = answer.rows.slice(0, 20);
  const rows = shown.map((row) => row.map((cell) => (cell === null ? "NULL" : JSON.stringify(cell))).join(" "));
  return `${rows.join(" | ")} (${answer.types?.join(", ") ?? ""})`;
}
