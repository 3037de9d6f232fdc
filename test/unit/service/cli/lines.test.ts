import fc from "fast-check";
import { expect, test } from "vitest";
import { linesOf } from "../../../../service/cli/lines";

const character = fc.constantFrom("a", "é", "鳥", "\u2028", "\u2029", "\u0085", "\r", "\v", "\f", "\t", "\ufeff");
const line = fc.string({ unit: character, minLength: 1, maxLength: 8 });
const given = fc.tuple(fc.array(line, { maxLength: 6 }), fc.boolean(), fc.integer({ min: 1, max: 7 }));

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test("linesOf: only a line feed ends a line, wherever the bytes are cut", async () => {
  const property = fc.asyncProperty(given, async ([lines, isEnded, size]) => {
    const bytes = Buffer.from(lines.join("\n") + (isEnded && lines.length > 0 ? "\n" : ""));
    expect(await Array.fromAsync(linesOf(pieces(bytes, size)))).toEqual(lines);
  });
  await fc.assert(property);
});
