/** What is probably wrong where the grammar does not accept a token: a misspelt keyword, an order of clauses, a comma. */
import { nearestName } from "./nearest-name";

/** A token beside a syntax error. */
export interface SeenToken {
  readonly text: string;
  /** A name or a literal, which are values; a keyword, or an operator or bracket. */
  readonly kind: "name" | "literal" | "keyword" | "sign";
}

/** The clauses of a query in their order, each with the keywords that begin it. */
const clauses = [
  ["FROM", /^from$/],
  ["JOIN", /^(?:join|inner|left|right|full|cross|lateral)$/],
  ["WHERE", /^where$/],
  ["GROUP BY", /^group$/],
  ["HAVING", /^having$/],
  ["ORDER BY", /^(?:order|sort|cluster|distribute)$/],
  ["LIMIT", /^limit$/],
] as const;
const [joins, where, ordering] = [1, 2, 5];

/** Keywords that stand between values or clauses, and are found misspelt. */
const misspelt = [
  "select",
  "from",
  "where",
  "group",
  "order",
  "having",
  "limit",
  "union",
  "between",
  "distinct",
  "join",
];

const takesBy = /^(?:group|order|partition|sort|cluster|distribute)$/;
const takesJoin = /^(?:inner|outer|left|right|full|cross)$/;
const takesValue =
  /^(?:and|or|not|on|where|having|by|when|then|else|like|rlike|regexp|in|between|[=<>+*/%-]|<>|!=|[<>]=)$/;
const beginsSubquery = /^(?:select|from|with|values|table|map|reduce)$/;

/**
 * Returns what is probably wrong at a token that the grammar does not accept; undefined when nothing is known.
 * @param before the tokens of the statement before it.
 * @param found the token; undefined at the end of the statement.
 */
export function probableCause(before: readonly SeenToken[], found: SeenToken | undefined): string | undefined {
  const word = wordOf(found);
  const last = before.at(-1);
  const lastWord = wordOf(last);
  const { tokens, opening } = sameLevel(before);
  if (word === ")" && opening === undefined) return "no ( before it is open";
  const clause = clauses.findIndex(([, begins]) => begins.test(word));
  const isUnion = /^(?:union|intersect|except)$/.test(word);
  if (opening !== undefined && (found === undefined || clause >= 0 || isUnion)) {
    const isSubquery = beginsSubquery.test(before[opening + 1]?.text.toLowerCase() ?? "");
    if (found === undefined || !isSubquery) return "a ( before it is not closed";
  }
  if (found === undefined) return undefined;
  const meant = meantKeyword(last, found);
  if (meant !== undefined) return meant;
  const misplaced = misplacedClause(tokens, clause, isUnion);
  if (misplaced !== undefined) return misplaced;
  if (takesBy.test(lastWord)) return `BY is missing behind "${last?.text ?? ""}"`;
  if (takesJoin.test(lastWord)) return `JOIN is missing behind "${last?.text ?? ""}"`;
  if (/^(?:from|join)$/.test(lastWord)) return `a table is missing behind "${last?.text ?? ""}"`;
  if (takesValue.test(lastWord) && !isValue(found)) return `a value is missing behind "${last?.text ?? ""}"`;
  if (/^(?:and|or|like|rlike|regexp|in|between)$/.test(lastWord) && takesValue.test(wordOf(before.at(-2))))
    return `a value is missing before "${last?.text ?? ""}"`;
  const endsValue = last !== undefined && (isValue(last) || lastWord === ")");
  if (endsValue && isValue(found)) return "a comma or an operator is missing before it";
  return undefined;
}

/** Returns a token in lower case, as patterns read it; a literal is no word. */
const wordOf = (token: SeenToken | undefined) => (!token || token.kind === "literal" ? "" : token.text.toLowerCase());

const isValue = ({ kind }: SeenToken) => kind === "name" || kind === "literal";

/**
 * Returns the tokens of the query in which the end of these stands, without those in parentheses, and the place of the
 * parenthesis around it.
 */
function sameLevel(before: readonly SeenToken[]): { tokens: SeenToken[]; opening: number | undefined } {
  const tokens: SeenToken[] = [];
  let depth = 0;
  for (let at = before.length - 1; at >= 0; at -= 1) {
    const token = before[at]!;
    if (token.kind === "sign" && token.text === ")") depth += 1;
    else if (token.kind === "sign" && token.text === "(") depth -= 1;
    else if (depth === 0) tokens.unshift(token);
    if (depth < 0) return { tokens, opening: at };
  }
  return { tokens, opening: undefined };
}

/** Asks for a keyword that the token, or the name before it, is nearly written as. */
function meantKeyword(last: SeenToken | undefined, found: SeenToken): string | undefined {
  for (const token of [last, found]) {
    const text = token?.kind === "name" ? token.text.toLowerCase() : "";
    const near = nearestName(text, misspelt);
    // `orders` is a name of its own.
    if (near === undefined || text === `${near}s`) continue;
    return token === found ? `is ${near.toUpperCase()} meant?` : `is ${near.toUpperCase()} meant by "${token!.text}"?`;
  }
  return undefined;
}

/** Tells that a clause stands behind one that follows it, or stands twice. */
function misplacedClause(tokens: readonly SeenToken[], clause: number, isUnion: boolean): string | undefined {
  const words = tokens.map(({ text, kind }) => (kind === "keyword" ? text.toLowerCase() : ""));
  const query = words.slice(
    1 + Math.max(...["select", "union", "intersect", "except"].map((each) => words.lastIndexOf(each))),
  );
  const seen = query.map((word) => clauses.findIndex(([, begins]) => begins.test(word)));
  const latest = Math.max(-1, ...seen);
  if (isUnion && latest >= ordering)
    return `it comes before ${clauses[latest]![0]}; write the query before it as SELECT * FROM (…) AS t`;
  if (clause < 0 || clause > latest) return undefined;
  const name = clauses[clause]![0];
  if (clause < latest) {
    const order = clauses.map(([each]) => each).join(", ");
    return `${name} comes before ${clauses[latest]![0]}; the order is ${order}`;
  }
  if (clause <= joins) return undefined;
  return `${name} stands once in a query${clause === where ? ": join the conditions with AND" : ""}`;
}
