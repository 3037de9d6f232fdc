/** Asks Hive for many expressions in one statement, since a statement costs much more than an expression. */
import type { Answer, Engine } from "./engine.mts";

/** How many expressions go in one statement. */
const batchSize = 30;

/**
 * Asks for the values of expressions.
 * @param from what stands behind the select list, such as ` FROM pool`.
 * @returns an answer of one column for each, with its type.
 */
export async function askExpressions(hive: Engine, expressions: readonly string[], from: string): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let start = 0; start < expressions.length; start += batchSize) {
    answers.push(...(await askBatch(hive, expressions.slice(start, start + batchSize), from)));
  }
  return answers;
}

/** One statement, an expression a line, so that an error's line says whose it is; without it, halves are asked. */
async function askBatch(hive: Engine, expressions: readonly string[], from: string): Promise<Answer[]> {
  if (expressions.length === 0) return [];
  const items = expressions.map((text, index) => `${text} AS c${index}, typeof(${text}) AS t${index}`);
  const answer = await hive.ask(`SELECT 1 AS c\n, ${items.join("\n, ")}\n${from}`);
  if (answer.kind === "rows") return expressions.map((_text, index) => columnOf(answer.rows, 1 + 2 * index));
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

function columnOf(rows: readonly (readonly (string | null)[])[], index: number): Answer {
  const type = rows[0]?.[index + 1];
  return { kind: "rows", rows: rows.map((row) => [row[index] ?? null]), types: type == null ? [] : [type] };
}
