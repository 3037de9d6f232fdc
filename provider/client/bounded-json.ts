/** Reads JSON of another party, in memory that its size bounds: `[[[…` and `[{},{},…` would take forty times as much. */
import { endOfJsonString } from "../../contract/json-text";

/** The most levels of arrays and objects. Records have five. */
const maxDepth = 64;
/** The most values. A page of 100 records has some thousands, a split of 100,000 input objects about as many. */
const maxValues = 250_000;

/** The text is JSON that no service of the API sends. The message continues "the response …". */
export class UnboundedJsonError extends Error {}

/**
 * Parses JSON; undefined for other texts.
 * @throws {UnboundedJsonError} for too many levels or values, before anything is built.
 */
export function parseBoundedJson(text: string): unknown {
  requireBounded(text);
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function requireBounded(text: string): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfJsonString(text, at);
        break;
      case openingBracket:
      case openingBrace:
        depth += 1;
        values += 1;
        break;
      case closingBracket:
      case closingBrace:
        depth -= 1;
        break;
      case comma:
        values += 1;
    }
    if (depth > maxDepth) throw new UnboundedJsonError(`has more than ${maxDepth} levels`);
    if (values > maxValues) throw new UnboundedJsonError(`has more than ${maxValues} values`);
  }
}

const [quote, comma] = [0x22, 0x2c];
const [openingBracket, closingBracket, openingBrace, closingBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
