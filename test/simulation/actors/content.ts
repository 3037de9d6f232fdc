/** What the simulated engine writes: objects that say which attempt wrote them, and from what. */
import { createHash } from "node:crypto";
import { world } from "../world/world";

/** A part of a result. */
export interface Part {
  readonly queryId: number;
  readonly epoch: number;
  /** From 1. */
  readonly part: number;
  readonly parts: number;
  /** Follows from the statement and the values of its inputs. */
  readonly value: string;
}

export function textOf({ queryId, epoch, part, parts, value }: Part): string {
  return `query=${queryId},epoch=${epoch},part=${part},parts=${parts},value=${value}\n`;
}

/** Returns the value of an object, written by an engine or put there as an input. */
export function valueIn(text: string): string {
  return /value=(\w+)/.exec(text)?.[1] ?? "none";
}

/** Returns the value of a query: that of its statement and inputs. */
export function valueOf(statement: string, inputs: readonly string[]): string {
  return createHash("sha256")
    .update(`${statement}\n${[...new Set(inputs)].sort().join("\n")}`)
    .digest("hex")
    .slice(0, 8);
}

/** Returns the parts in a folder of the disk; undefined for an object that no engine wrote. */
export function partsIn(path: string): (Part | undefined)[] {
  const { files } = world();
  return [...files.below(path)].map((file) => partOf(files.file(file).content.toString()));
}

function partOf(text: string): Part | undefined {
  const [, queryId, epoch, part, parts, value = ""] =
    /^query=(\d+),epoch=(\d+),part=(\d+),parts=(\d+),value=(\w+)\n$/.exec(text) ?? [];
  if (queryId === undefined) return undefined;
  return { queryId: Number(queryId), epoch: Number(epoch), part: Number(part), parts: Number(parts), value };
}

/** Says why the parts are not the whole result of one attempt of a query; undefined when they are. */
export function whyNotWhole(parts: readonly (Part | undefined)[], queryId: number): string | undefined {
  const [first] = parts;
  if (first === undefined) return parts.length === 0 ? "it has no objects" : "it has an object that no engine wrote";
  if (parts.some((part) => part?.queryId !== queryId)) {
    return `it has objects of ${[...new Set(parts.map((part) => `query ${part?.queryId}`))].join(" and ")}`;
  }
  if (parts.some((part) => part?.epoch !== first.epoch)) return "it has objects of several attempts";
  if (parts.length !== first.parts) return `it has ${parts.length} of ${first.parts} objects`;
  return undefined;
}
