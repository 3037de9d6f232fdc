/** Statements in the text that a user types. */

/** A literal, a name in backticks, a comment, or a semicolon. What is not closed goes to the end of the text. */
const tokens = /'(?:\\[^]|[^'\\])*(?:'|$)|"(?:\\[^]|[^"\\])*(?:"|$)|`[^`]*(?:`|$)|--[^\n]*|\/\*[^]*?(?:\*\/|$)|;/g;

/** Separates the statements that end with a semicolon from the text after the last one. */
export function splitStatements(text: string): { readonly statements: string[]; readonly rest: string } {
  const statements: string[] = [];
  let start = 0;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token !== ";") continue;
    const statement = text.slice(start, index).trim();
    if (statement !== "") statements.push(statement);
    start = index + 1;
  }
  return { statements, rest: text.slice(start) };
}
