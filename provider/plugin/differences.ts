/** Differences in the form of the engine's protocol. */
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import type { DiffResult } from "../lifecycles";

/** A difference, with the names of the properties that are inputs. */
export interface Difference extends DiffResult {
  readonly inputNames: ReadonlySet<string>;
}

/** Removes ignored inputs from a difference. Outputs, which mark an unfinished resource, are kept. */
export function withoutIgnored(diff: Difference, ignored: readonly string[]): Difference {
  if (ignored.length === 0) return diff;
  const isIgnored = (path: string) =>
    diff.inputNames.has(nameIn(path)) && ignored.some((pattern) => covers(pattern, path));
  const detailedDiff = Object.fromEntries(Object.entries(diff.detailedDiff).filter(([path]) => !isIgnored(path)));
  const remaining = new Set(Object.keys(detailedDiff).map(nameIn));
  return {
    ...diff,
    changes: remaining.size > 0,
    replaces: diff.replaces.filter((path) => remaining.has(nameIn(path))),
    detailedDiff,
  };
}

/**
 * Returns a difference with the tables that were rebuilt instead of the hidden input that says so, whose letters mean
 * nothing to a user.
 * @param secret true where the names may be parts of a secret statement: they are left out.
 * @param isOfNew returns true for a table that a new resource makes, which may have adopted it.
 */
export function withTableNames(diff: Difference, secret: boolean, isOfNew: (table: string) => boolean): Difference {
  const { tables, ...others } = diff.detailedDiff;
  if (tables === undefined) return diff;
  const changeOf = (name: string) => (isOfNew(name) ? "was rebuilt, or is of another resource" : "was rebuilt");
  const rebuilt = secret ? ["tables"] : (diff.rebuilt ?? []).map((name) => `tables["${name} ${changeOf(name)}"]`);
  // The engine shows a key of its own, and an added value that it does not find as unknown.
  const added = rebuilt.map((path) => [path, { kind: "add", replace: true }] as const);
  return { ...diff, detailedDiff: { ...others, ...Object.fromEntries(added) } };
}

/** Returns a difference that names the secret properties, but no part of them: a key, too, may be secret. */
export function withoutSecretParts(diff: Difference, secrets: ReadonlySet<string>): Difference {
  const shown = Object.entries(diff.detailedDiff).map(([path, change]) =>
    secrets.has(nameIn(path)) && path !== nameIn(path)
      ? ([nameIn(path), { ...change, kind: "update" }] as const)
      : ([path, change] as const),
  );
  return { ...diff, detailedDiff: Object.fromEntries(shown) };
}

/** Returns the protocol message of a difference. */
export function diffResponse(diff: Difference): proto.DiffResponse {
  const response = new proto.DiffResponse();
  const { DIFF_NONE, DIFF_SOME } = proto.DiffResponse.DiffChanges;
  response.setChanges(diff.changes ? DIFF_SOME : DIFF_NONE);
  response.setReplacesList([...diff.replaces]);
  response.setDiffsList([...new Set(Object.keys(diff.detailedDiff).map(nameIn))]);
  response.setDeletebeforereplace(diff.deleteBeforeReplace);
  response.setHasdetaileddiff(true);
  for (const [path, { kind, replace }] of Object.entries(diff.detailedDiff)) {
    const property = new proto.PropertyDiff();
    property.setKind(kinds[kind][replace ? "replace" : "keep"]);
    property.setInputdiff(diff.inputNames.has(nameIn(path)));
    response.getDetaileddiffMap().set(path, property);
  }
  return response;
}

const { Kind } = proto.PropertyDiff;
const kinds = {
  add: { keep: Kind.ADD, replace: Kind.ADD_REPLACE },
  update: { keep: Kind.UPDATE, replace: Kind.UPDATE_REPLACE },
  delete: { keep: Kind.DELETE, replace: Kind.DELETE_REPLACE },
} as const;

/** Returns the property at the start of a path. */
function nameIn(path: string): string {
  return path.split(/[.[]/, 1)[0]!;
}

/** Returns true when a path equals the ignored path or is inside it. */
function covers(ignored: string, path: string): boolean {
  return ignored === "*" || path === ignored || path.startsWith(`${ignored}.`) || path.startsWith(`${ignored}[`);
}
