/** Generates statements, asks both engines, and reports what differs in its smallest form. */
import fc from "fast-check";
import type { Answer, Engine } from "./engine.mts";
import { askExpressions } from "./batches.mts";
import { compareAnswers, type Outcome, sameValue } from "./compare-answers.mts";
import { argumentCases } from "./generate/argument-cases.mts";
import { aggregatesOf } from "./generate/group-queries.mts";
import type { EmbeddedEngine } from "./embedded-engine.mts";
import { castsOver, type Expressions, expressionsOver } from "./generate/expressions.mts";
import { queriesOver } from "./generate/queries.mts";
import { shrink } from "./shrink.mts";
import { limitsTable } from "./generate/tables.mts";
import { sampleTerms } from "./generate/sample-terms.mts";
import { type Term, toSql } from "./generate/term.mts";
import type { Callable } from "./generate/callables.mts";

/** A statement on which the engines do not agree, and why. */
export interface Disagreement {
  readonly outcome: Outcome;
  /** As small as it was made. */
  readonly statement: string;
  /** As it was generated. */
  readonly generated: string;
  readonly hive: string;
  readonly embedded: string;
}

/** How many statements came to what. */
export type Tally = Map<Outcome, number>;

export interface RunContext {
  readonly hive: Engine;
  readonly embedded: EmbeddedEngine;
  /** How many statements Hive answers at once. */
  readonly sessions: number;
  readonly functions: readonly Callable[];
  readonly seed: number;
  readonly tally: Tally;
  readonly report: (found: Disagreement) => void;
}

/** Nested as deep as answers can still be told apart by reading. */
const depth = 2;

/**
 * Expressions of any kind, without a table, CASTs, aggregates, and calls with arguments of every type; of the last all
 * are compared where so many cases are asked for.
 */
export type ExpressionKind = "expressions" | "literals" | "casts" | "aggregates" | "arguments";

/** Compares expressions over the pool's rows or without a table, many in one statement of Hive. */
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
      // Expressions that stand in one statement may change what Hive makes of another.
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

/** Most of the statements that are generated for one that embedded takes. */
const maxTriesPerQuery = 4;

/** Compares so many whole statements, as many at once as Hive has sessions; those that embedded refuses are beside them. */
export async function compareQueries(context: RunContext, cases: number): Promise<void> {
  const queries = sampleTerms(queriesOver(context.functions), cases * maxTriesPerQuery, context.seed).values();
  let left = cases;
  const work = async () => {
    for (const query of queries) {
      if (left <= 0) return;
      left -= 1;
      if (!(await compareQuery(context, query))) left += 1;
    }
  };
  await Promise.all(Array.from({ length: context.sessions }, work));
}

/** @returns whether embedded takes the statement. */
async function compareQuery(context: RunContext, query: Term): Promise<boolean> {
  const first = await askQuery(context, query);
  // A busy server fails at times.
  const { outcome, hive } = isDisagreement(first.outcome) ? await askQuery(context, query) : first;
  count(context.tally, outcome);
  if (isDisagreement(outcome) && !wasReported(outcome, hive)) await reportQuery(context, query, outcome, hive);
  return outcome !== "refused";
}

async function reportQuery(context: RunContext, query: Term, outcome: Outcome, hive: Answer): Promise<void> {
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

/** What embedded refuses Hive is not asked. */
async function askBoth({ hive, embedded }: RunContext, terms: readonly Term[], from: string): Promise<ComparedAnswers[]> {
  const texts = terms.map((term) => toSql(term));
  const embeddedAnswers: Answer[] = [];
  for (const text of texts) embeddedAnswers.push(oneColumn(await embedded.ask(`SELECT ${text} ${from}`)));
  const asked = texts.filter((_text, index) => embeddedAnswers[index]?.kind !== "refused");
  const hiveAnswers = (await askExpressions(hive, asked, from)).values();
  return embeddedAnswers.map((answer, index) => {
    if (answer.kind === "refused") return { hive: notAsked, embedded: answer, outcome: "refused" };
    const theirs = hiveAnswers.next().value ?? notAsked;
    return { hive: theirs, embedded: answer, outcome: compareAnswers(theirs, answer, false, hasRoundingNoise(texts[index] ?? "")) };
  });
}

/** Variances and their kin are differences of sums, of which rounding leaves something where they are zero. */
const hasRoundingNoise = (text: string) => /\b(std|var|cov|corr|regr)/.test(text);

/** A smaller term may be a list of expressions, which is none. */
function oneColumn(answer: Answer): Answer {
  return answer.kind === "rows" && answer.types?.length !== 1 ? notAsked : answer;
}

async function askQuery({ hive, embedded }: RunContext, query: Term): Promise<ComparedAnswers> {
  const answer = await embedded.ask(toSql(query));
  if (answer.kind === "refused") return { hive: notAsked, embedded: answer, outcome: "refused" };
  const theirs = await hive.ask(toSql(query));
  return { hive: theirs, embedded: answer, outcome: compareAnswers(theirs, answer, true, hasRoundingNoise(toSql(query))) };
}

function generateTerms(
  { functions, embedded, seed }: RunContext,
  kind: ExpressionKind,
  expressions: Expressions,
  cases: number,
  name?: string,
): Term[] {
  const chosen = name === undefined ? functions : functions.filter((callable) => callable.name === name);
  if (chosen.length === 0) throw new TypeError(`${String(name)} is no function that is compared`);
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
/** Messages that stand for any reason. */
const uninformative = /Failed to breakup Windowing|return code \S+ from|Error running query/;

/** Why Hive refuses, without names, values and places; empty where it does not. */
function reasonOf(answer: Answer): string {
  if (answer.kind === "rows") return "";
  const [first = ""] = answer.message.split("\n");
  return first.replaceAll(/'[^']*'|"[^"]*"|\d+|\b[ab]\.\w+/g, "…").slice(0, 200);
}

/** Whether a statement refused for such a reason was made small before: the next ones are only counted. */
function wasReported(outcome: Outcome, hive: Answer): boolean {
  const reason = reasonOf(hive);
  if (outcome === "different" || uninformative.test(reason)) return false;
  const wasMet = reportedReasons.has(reason);
  reportedReasons.add(reason);
  return wasMet;
}

function reportOnce({ report }: RunContext, found: Disagreement) {
  if (reportedStatements.has(found.statement)) return;
  reportedStatements.add(found.statement);
  report(found);
}

/** The answers to an expression in words: the rows that differ where both have as many, else all. */
function describeColumns(hive: Answer, embedded: Answer): { hive: string; embedded: string } {
  if (hive.kind !== "rows" || embedded.kind !== "rows" || hive.rows.length !== embedded.rows.length) return describeAnswers(hive, embedded);
  const type = hive.types?.[0] ?? "";
  const rows = hive.rows.flatMap((row, index) =>
    sameValue(row[0] ?? null, embedded.rows[index]?.[0] ?? null, type) ? [] : [index],
  );
  const only = (answer: typeof hive): Answer => ({ ...answer, rows: rows.map((index) => answer.rows[index] ?? []) });
  return describeAnswers(only(hive), only(embedded));
}

const describeAnswers = (hive: Answer, embedded: Answer) => ({ hive: describeAnswer(hive), embedded: describeAnswer(embedded) });

function describeAnswer(answer: Answer): string {
  if (answer.kind !== "rows") return `${answer.kind}: ${answer.message.split("\n")[0]?.slice(0, 400)}`;
  const shown = answer.rows.slice(0, 20);
  const rows = shown.map((row) => row.map((cell) => (cell === null ? "NULL" : JSON.stringify(cell))).join(" "));
  return `${rows.join(" | ")} (${answer.types?.join(", ") ?? ""})`;
}
