/** Lines of a stream of bytes. */

/**
 * Reads the lines of a UTF-8 text. Only a line feed ends one: `node:readline` ends one at U+2028, U+2029 and a carriage
 * return, too, which can be in a cell. A last line without a line feed counts.
 */
export async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** The pieces of a line that has not ended. */
  let pieces: string[] = [];
  for await (const chunk of input) {
    const [first = "", ...others] = decoder.decode(chunk, { stream: true }).split("\n");
    pieces.push(first);
    if (others.length === 0) continue;
    yield pieces.join("");
    const last = others.pop()!;
    yield* others;
    pieces = [last];
  }
  const rest = pieces.join("") + decoder.decode();
  if (rest !== "") yield rest;
}
