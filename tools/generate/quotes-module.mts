/** Assembles the WebAssembly module of the split's scan. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import wabt from "wabt";
import { root } from "../setup/layout.mjs";

const source = "service/split/quotes.wat";

/** Returns the TypeScript module that holds the binary form of quotes.wat. */
export async function quotesModule(): Promise<string> {
  const { parseWat } = await wabt();
  const module = parseWat(source, readFileSync(join(root, source), "utf8"), { simd: true });
  module.validate();
  const code = Buffer.from(module.toBinary({}).buffer).toString("base64");
  return `/** The binary form of quotes.wat, made by \`npm run generate\`. */\nexport const quotesModule =\n  "${code}";\n`;
}
