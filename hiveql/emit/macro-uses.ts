/** How often the bodies of macros use their parameters. */
import { macros } from "../runtime/macros/index";
import type { MacroName } from "../tree/nodes";

interface MacroUses {
  readonly weight: number;
  readonly parameters: readonly number[];
}

const usesByMacro = new Map<string, MacroUses>();

/**
 * Counts how often a macro's body uses each parameter after nested macros are expanded, and weighs the rest of the
 * body.
 */
export function usesOf(name: MacroName): MacroUses {
  const found = usesByMacro.get(name);
  if (found) return found;
  const { parameters, body } = macros[name];
  const counts = parameters.map(() => 0);
  let weight = body.length / 16;
  // The number of expansions of the content of each open parenthesis.
  const open = [1];
  for (const [token, word, parenthesis] of body.matchAll(/'(?:[^']|'')*'|([A-Za-z_]\w*)(\(?)|[()]/g)) {
    const factor = open.at(-1) ?? 1;
    const index = word === undefined || parenthesis ? -1 : parameters.indexOf(word);
    if (index !== -1) counts[index] = (counts[index] ?? 0) + factor;
    if (token === ")") open.pop();
    else if (token === "(") open.push(factor);
    else if (parenthesis) {
      const called = word !== name && word !== undefined && word in macros ? usesOf(word as MacroName) : undefined;
      weight += (called?.weight ?? 0) * factor;
      open.push(factor * Math.max(1, ...(called?.parameters ?? [])));
    }
  }
  const uses = { weight, parameters: counts };
  usesByMacro.set(name, uses);
  return uses;
}
