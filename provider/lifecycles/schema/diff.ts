/** Compares inputs according to their declarations. */
import { isDeepStrictEqual } from "node:util";
import { hasUnknown } from "./check";
import type { DiffResult, PropertyDiff } from "../lifecycle";
import type { InputProperties } from "./properties";

interface DiffRules {
  /** True when the old resource must be deleted before its replacement is created. */
  readonly deleteBeforeReplace: boolean;
  /** Returns true when two different values of an input are equivalent. */
  same?(name: string, old: unknown, next: unknown): boolean;
  /** Returns true when an input that may be computed was given, so that leaving it out is a change. @default false */
  wasGiven?(name: string): boolean;
}

/** Returns the difference between old and new inputs. An unknown value counts as different. */
export function diffProperties(
  properties: InputProperties,
  olds: object,
  news: object,
  { deleteBeforeReplace, same = () => false, wasGiven = () => false }: DiffRules,
): DiffResult {
  const before = olds as Values;
  const after = news as Values;
  const replaces: string[] = [];
  const detailedDiff: Record<string, PropertyDiff> = {};
  for (const [name, { change, computed, fallback, hidden }] of Object.entries(properties)) {
    if (hidden) continue;
    const old = before[name] ?? fallback;
    const next = after[name] ?? fallback;
    if (next === undefined && (old === undefined || (computed && !wasGiven(name)))) continue;
    if (!hasUnknown(next) && (isDeepStrictEqual(old, next) || (old !== undefined && same(name, old, next)))) continue;
    const replace = change === "replace";
    if (replace) replaces.push(name);
    for (const [path, kind] of differences(name, before[name], after[name])) detailedDiff[path] = { kind, replace };
  }
  const unknown = replaces.filter((name) => hasUnknown(after[name]));
  return {
    changes: replaces.length > 0 || Object.keys(detailedDiff).length > 0,
    replaces,
    deleteBeforeReplace,
    reasons: replaces.map((name) => (unknown.includes(name) ? unknownValueOf(name) : changeOf(name))),
    ...(unknown.length > 0 && { unknown }),
    detailedDiff,
  };
}

/** Returns the reason for which a changed input replaces a resource. */
const changeOf = (name: string) => `${name} changed`;

/** Returns the reason for which an input replaces a resource whose value depends on what the run changes before. */
export const unknownValueOf = (name: string) => `${name} is not known yet`;

/**
 * Adds the difference of a property to a diff.
 * @param reason why the resource is replaced.
 * @param key names the property, or a part of it, among the reasons that the engine shows.
 */
export function withDifference(
  diff: DiffResult,
  property: string,
  replace: boolean,
  reason?: string,
  key = property,
): DiffResult {
  const replaces = replace ? [...new Set([...diff.replaces, key])] : diff.replaces;
  const detailedDiff = { ...diff.detailedDiff, [property]: { kind: "update" as const, replace } };
  const reasons = reason === undefined ? diff.reasons : [...diff.reasons, reason];
  return { ...diff, changes: true, replaces, reasons, detailedDiff };
}

type Values = Readonly<Record<string, unknown>>;
type Kind = PropertyDiff["kind"];

/** Returns the differences of two values by Pulumi property path, such as `inputObjectKeys[1]` or `triggers["a b"]`. */
function differences(path: string, old: unknown, next: unknown): [string, Kind][] {
  if ((old ?? undefined) === undefined) return [[path, "add"]];
  if ((next ?? undefined) === undefined) return [[path, "delete"]];
  const pairs = pairElements(old, next);
  if (!pairs) return [[path, "update"]];
  return pairs.flatMap(([step, before, after]) =>
    !hasUnknown(after) && isDeepStrictEqual(before, after) ? [] : differences(`${path}${step}`, before, after),
  );
}

/** Pairs the elements of two lists or the entries of two objects; undefined for other values. */
function pairElements(old: unknown, next: unknown): [string, unknown, unknown][] | undefined {
  if (Array.isArray(old) && Array.isArray(next)) {
    const length = Math.max(old.length, next.length);
    return Array.from({ length }, (_, index) => [`[${index}]`, old[index], next[index]]);
  }
  if (!isObject(old) || !isObject(next)) return undefined;
  const keys = new Set([...Object.keys(old), ...Object.keys(next)]);
  return [...keys].map((key) => [
    /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `["${key.replace(/["\\]/g, "\\$&")}"]`,
    old[key],
    next[key],
  ]);
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
