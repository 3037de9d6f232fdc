import { HiveQLError, parseStatement } from "../../../../hiveql/syntax";

/** Returns the message with which the parser refuses a statement. */
export function refusal(statement: string): string {
  try {
    parseStatement(statement);
  } catch (error) {
    if (error instanceof HiveQLError && error.problem === "syntax") return error.message;
    throw error;
  }
  return "no refusal";
}
