/**
 * `npm run bench -- <name>`: runs one benchmark of test/bench against a known alternative, in pairs in the same run, so
 * that the ratios are valid on any machine. Needs the build (`npm run build`).
 */
import { existsSync, readdirSync } from "node:fs";

const folder = new URL("../test/bench/", import.meta.url);
const [name = "", ...options] = process.argv.slice(2);
const file = new URL(`${name}.mts`, folder);

if (!/^[a-z]+$/.test(name) || !existsSync(file)) {
  const names = readdirSync(folder).flatMap((entry) =>
    /^[a-z]+\.mts$/.test(entry) ? [entry.slice(0, -".mts".length)] : [],
  );
  console.error(`usage: npm run bench -- <${names.join("|")}> [options]`);
  process.exitCode = 2;
} else {
  const { bench } = (await import(file.href)) as { bench: (options: readonly string[]) => Promise<void> };
  await bench(options);
}
