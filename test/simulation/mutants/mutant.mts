/** A change of one line of the real code, which a schedule must find. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Mutant {
  readonly name: string;
  /** Path of the file, from the root of the repository. */
  readonly file: string;
  /** Text that the file has once. */
  readonly from: string;
  readonly to: string;
  /** The only kind of schedules that can find it. @default any */
  readonly kind?: "shared";
}

const root = join(import.meta.dirname, "../../..");

/** Returns the path of the file that a mutant changes. */
export function pathOf({ file }: Mutant): string {
  return join(root, file);
}

/** Says why a mutant cannot be made; undefined when its text is in the code, once. */
export function whyStale(mutant: Mutant): string | undefined {
  const { name, file, from } = mutant;
  let source: string;
  try {
    source = readFileSync(pathOf(mutant), "utf8");
  } catch {
    return `mutant "${name}": ${file} cannot be read: correct its path`;
  }
  const count = source.split(from).length - 1;
  return count === 1 ? undefined : `mutant "${name}": ${file} has this text ${count} times, not once: ${from}`;
}

/** Returns the changed text of its file. @throws Error for one that is stale */
export function changedBy(mutant: Mutant): string {
  const problem = whyStale(mutant);
  if (problem !== undefined) throw new Error(problem);
  return readFileSync(pathOf(mutant), "utf8").replace(mutant.from, () => mutant.to);
}
