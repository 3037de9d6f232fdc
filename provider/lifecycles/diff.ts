/** Compares inputs by their declarations. */
import { isDeepStrictEqual } from "node:util";
import { hasUnknown } from "./check";
import type { DiffResult, PropertyDiff } from "./lifecycle";
import type { InputProperties } from "./properties";

interface DiffRules {
  /** Whether a replaced resource must go before the new one comes. */
  readonly deleteBeforeReplace: boolean;
  /** Whether two values of an input mean the same; equal values always do. */
  same?(name: string, old: unknown, next: unknown): boolean;
}

/** What changed inputs mean. A value that is not known yet counts as different. */
export function diffProperties(
  properties: InputProperties,
  olds: object,
  news: object,
  { deleteBeforeReplace, same = () => false }: DiffRules,
): DiffResult {
  const before = olds as Readonly<Record<string, unknown>>;
  const after = news as Readonly<Record<string, unknown>>;
  const detailedDiff: Record<string, PropertyDiff> = {};
  for (const [name, { change, computed, fallback }] of Object.entries(properties)) {
    const old = before[name] ?? fallback;
    const next = after[name] ?? fallback;
    if (next === undefined && (old === undefined || computed)) continue;
    if (!hasUnknown(next) && (isDeepStrictEqual(old, next) || (old !== undefined && same(name, old, next)))) continue;
    const kind = old === undefined ? "add" : next === undefined ? "delete" : "update";
    detailedDiff[name] = { kind, replace: change === "replace" };
  }
  const replaces = Object.keys(detailedDiff).filter((name) => detailedDiff[name]!.replace);
  return { changes: Object.keys(detailedDiff).length > 0, replaces, deleteBeforeReplace, detailedDiff };
}

/** The same result, with a property's own reason to differ. */
export function withDifference(diff: DiffResult, property: string, replace: boolean): DiffResult {
  const replaces = replace ? [...new Set([...diff.replaces, property])] : diff.replaces;
  const detailedDiff = { ...diff.detailedDiff, [property]: { kind: "update" as const, replace } };
  return { ...diff, changes: true, replaces, detailedDiff };
}
