/** Padding of chars. */
import { type Position, unsupported } from "../syntax";
import type { Node, Typed } from "../tree/nodes";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "char-padding",
  hive: "4.0.1",
  title: "Padding of chars",
  why: "Hive 4.0.1 prints a char with trailing spaces, and pads a char that an expression makes or not depending on how it runs the statement.",
  example: "`SELECT upper(c)` of the char(4) `red ` answers `RED`, and `RED ` with ORDER BY.",
  refuses:
    "The translation refuses CAST to char and every other expression that makes a char; columns of chars can be selected, compared and cast to string.",
};

const makers: ReadonlySet<Node["kind"]> = new Set(["call", "case", "cast", "coalesce", "concatenation"]);

/** @throws HiveQLError for an expression that makes a char. */
export function refuseMadeChar({ node, type }: Typed, position: Position): void {
  if (type.kind === "char" && makers.has(node.kind))
    throw unsupported(
      position,
      "expression of type char",
      "makes a char, which Hive pads with spaces or not depending on how it runs the statement: write string, or cast the operands to string",
    );
}
