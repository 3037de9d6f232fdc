/** Evaluates many expressions in one statement of Hive, because a statement costs much more than an expression. */
import type { Answer, Engine } from "./engine.mts";

type Rows = Extract<Answer, { kind: "rows" }>;

/** The number of expressions in one statement. */
const batchSize = 30;

/**
 * Asks Hive for the values of expressions.
 * @param from the FROM clause after the select list, such as ` FROM pool`; empty without a table.
 * @returns one answer for each expression, with one column and its type.
 */
export async function askExpressions(hive: Engine, expressions: readonly string[], from: string): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let start = 0; start < expressions.length; start += batchSize) {
    answers.push(...(await askBatch(hive, expressions.slice(start, start + batchSize), from)));
  }
  return answers;
}

/**
 * Sends one statement with one expression on each line, so that the line of an error tells the expression. When the
 * error has no line, splits the batch in halves.
 */
async function askBatch(hive: Engine, expressions: readonly string[], from: string): Promise<Answer[]> {
  if (expressions.length === 0) return [];
  const items = expressions.map((text, index) => `${text} AS c${index}, typeof(${text}) AS t${index}`);
  const answer = await hive.ask(`SELECT 1 AS c\n, ${items.join("\n, ")}\n${from}`);
  if (answer.kind === "rows") return expressions.map((_text, index) => columnOf(answer, 1 + 2 * index));
  if (expressions.length === 1) return [answer];
  const line = Number(/\bline (\d+):/i.exec(answer.message)?.[1] ?? 0) - 2;
  const isKnown = line >= 0 && line < expressions.length;
  if (isKnown) {
    const rest = await askBatch(hive, expressions.toSpliced(line, 1), from);
    return rest.toSpliced(line, 0, answer);
  }
  const half = expressions.length >> 1;
  return [
    ...(await askBatch(hive, expressions.slice(0, half), from)),
    ...(await askBatch(hive, expressions.slice(half), from)),
  ];
}

function columnOf({ rows, types = [] }: Rows, index: number): Answer {
  // The schema has no types of elements, so typeof tells the type. It computes a quotient of literals with more digits
  // than the column has, so the schema tells decimals.
  const [shown = ""] = types.slice(index);
  const type = shown.startsWith("decimal(") ? shown : rows[0]?.[index + 1];
  return { kind: "rows", rows: rows.map((row) => [row[index] ?? null]), types: type == null ? [] : [type] };
}
