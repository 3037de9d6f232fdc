/**
 * What 0.1.0 wrote, the first state that could be packed: its data folder and config, its answers, the states of stacks of
 * both front ends, and the names of its API (of 18 commits later, the first that described it) and schema. A version 1 reads
 * all of it. The fixtures are never changed; a later release adds a folder of its own.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const fixtures = join(__dirname, "fixtures/0.1.0");

/** Returns the content of a JSON fixture. */
export function fixture<Content>(name: string): Content {
  return JSON.parse(readFileSync(join(fixtures, name), "utf8")) as Content;
}
