/** Finds the operation of a request line in the table of operations. */
import { errors, operationNames, operations, type OperationName } from "../../contract";

/** The result of routing a request line. */
export interface Route {
  readonly operation: OperationName;
  /** The path parameter, percent-decoded; undefined when the path has none. */
  readonly parameter: string | undefined;
  /** Query parameters other than the operation key, percent-decoded. */
  readonly query: ReadonlyMap<string, string>;
}

/** The operations with their keys and the segments of their paths. */
const patterns = operationNames.map((operation) => {
  const { key, path } = operations[operation];
  return { operation, key, segments: path.split("/") };
});

const patternsOfKey: ReadonlyMap<string, typeof patterns> = Map.groupBy(patterns, ({ key }) => key);
const keys: readonly string[] = [...patternsOfKey.keys()];

/**
 * Finds the operation of a request.
 * @param target path and query string as in the request line, not normalised: the signed text is routed.
 * @throws ResourceNotFound, MethodNotAllowed, InvalidParameter for a query string that cannot be read.
 */
export function route(method: string, target: string): Route {
  const { candidates, pairs, key } = candidatesOf(target);
  if (candidates.length === 0) {
    const rule =
      key === undefined
        ? `the path must start with /v1/ and the query string must have exactly one of the keys ${keys.join(", ")}`
        : `with ${key} the path must be ${pathsOf(key).join(" or ")}`;
    throw new errors.ResourceNotFound(`no operation has this path and operation key: ${rule}`);
  }
  const found = candidates.find(({ operation }) => operations[operation].method === method);
  if (!found) {
    throw new errors.MethodNotAllowed(
      `the method ${method} is not allowed for this resource: use ${allowedMethods(target)}`,
    );
  }
  return { ...found, query: queryParameters(pairs.filter(([name]) => name !== key)) };
}

/** Returns the paths of the operations with a key. */
const pathsOf = (key: string) => [
  ...new Set(patternsOfKey.get(key)?.map(({ operation }) => operations[operation].path)),
];

/** Returns the methods of a resource, formatted for the `Allow` header. */
export function allowedMethods(target: string): string {
  return candidatesOf(target)
    .candidates.map(({ operation }) => operations[operation].method)
    .join(", ");
}

/** Returns the path and operation key of a request, for error bodies and logs. */
export function resourceOf(target: string): string {
  const [path = "", query = ""] = target.split("?", 2);
  const key = query.split("&").find((pair) => patternsOfKey.has(pair.split("=", 1)[0]!));
  const resource = key === undefined ? path : `${path}?${key.split("=", 1)[0]!}`;
  return resource.length > 512 ? `${resource.slice(0, 511)}…` : resource;
}

/** Finds the operations of a path and operation key, with any method. */
function candidatesOf(target: string) {
  const { path, pairs } = splitTarget(target);
  const family = pairs.filter(([name]) => patternsOfKey.has(name));
  const key = family.length === 1 ? family[0]![0] : undefined;
  const have = path.split("/");
  const candidates: { readonly operation: OperationName; readonly parameter: string | undefined }[] = [];
  for (const { operation, segments } of patternsOfKey.get(key ?? "") ?? []) {
    const match = matchPath(segments, have);
    if (match) candidates.push({ operation, parameter: match.parameter });
  }
  return { candidates, pairs, key };
}

function matchPath(want: readonly string[], have: readonly string[]): { parameter: string | undefined } | undefined {
  if (want.length !== have.length) return undefined;
  let parameter: string | undefined;
  for (const [index, segment] of want.entries()) {
    const given = have[index]!;
    if (segment.startsWith("{") && given !== "") parameter = percentDecode(given);
    else if (segment !== given) return undefined;
  }
  return { parameter };
}

function splitTarget(target: string): { path: string; pairs: [string, string][] } {
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? "" : target.slice(mark + 1);
  const pairs = query.split("&").filter((pair) => pair !== "");
  return {
    path,
    pairs: pairs.map((pair) => {
      const equals = pair.indexOf("=");
      const [name, value] = equals < 0 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
      return [formDecode(name), formDecode(value)];
    }),
  };
}

function queryParameters(pairs: readonly [string, string][]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (found.has(name))
      throw new errors.InvalidParameter(`the query parameter ${name} is given more than once`, { field: name });
    found.set(name, value);
  }
  return found;
}

function formDecode(text: string): string {
  return /[+%]/.test(text) ? percentDecode(text.replaceAll("+", " ")) : text;
}

function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new errors.InvalidParameter("the path or query string has an invalid percent-encoding");
  }
}
