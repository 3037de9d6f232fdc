/** Which operation a request line names, by the table of operations. */
import { errors, operationNames, operations, type Operation, type OperationName } from "../../contract";

/** What a request line says. */
export interface Route {
  readonly operation: OperationName;
  /** The path's parameter as text, percent-decoded; undefined where the path has none. */
  readonly parameter: string | undefined;
  /** Query parameters other than the operation key, percent-decoded. */
  readonly query: ReadonlyMap<string, string>;
}

const keys: readonly string[] = [...new Set(operationNames.map((name) => operations[name].key))];

/**
 * Finds the operation of a request.
 * @param target path and query string as in the request line, not normalised: what was signed is what is routed.
 * @throws ResourceNotFound, MethodNotAllowed, InvalidParameter for a query string that cannot be read.
 */
export function route(method: string, target: string): Route {
  const { candidates, pairs, key } = candidatesOf(target);
  if (candidates.length === 0) {
    throw new errors.ResourceNotFound(
      `no operation has this path and operation key: paths begin with /v1/ and the query string holds exactly one of ${keys.join(", ")}`,
    );
  }
  const found = candidates.find(({ operation }) => operations[operation].method === method);
  if (!found) {
    throw new errors.MethodNotAllowed(`${method} is not a method of this resource; it has ${allowedMethods(target)}`);
  }
  return { ...found, query: parameters(pairs.filter(([name]) => name !== key)) };
}

/** The methods of a resource, as the `Allow` header lists them. */
export function allowedMethods(target: string): string {
  return candidatesOf(target)
    .candidates.map(({ operation }) => operations[operation].method)
    .join(", ");
}

/** Path and operation key of a request, for error bodies and logs. */
export function resourceOf(target: string): string {
  const [path = "", query = ""] = target.split("?", 2);
  const key = query.split("&").find((pair) => keys.includes(pair.split("=", 1)[0]!));
  const resource = key === undefined ? path : `${path}?${key.split("=", 1)[0]!}`;
  return resource.length > 512 ? `${resource.slice(0, 511)}…` : resource;
}

/** The operations of a path and operation key, of any method. */
function candidatesOf(target: string) {
  const { path, pairs } = split(target);
  const family = pairs.filter(([name]) => keys.includes(name));
  const key = family.length === 1 ? family[0]![0] : undefined;
  const candidates = operationNames.flatMap((operation) => {
    const match = key === operations[operation].key ? matchPath(operations[operation], path) : undefined;
    return match ? [{ operation, parameter: match.parameter }] : [];
  });
  return { candidates, pairs, key };
}

function matchPath({ path: pattern }: Operation, path: string): { parameter: string | undefined } | undefined {
  const want = pattern.split("/");
  const have = path.split("/");
  if (want.length !== have.length) return undefined;
  let parameter: string | undefined;
  for (const [index, segment] of want.entries()) {
    const given = have[index]!;
    if (segment.startsWith("{") && given !== "") parameter = decode(given);
    else if (segment !== given) return undefined;
  }
  return { parameter };
}

function split(target: string): { path: string; pairs: [string, string][] } {
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? "" : target.slice(mark + 1);
  const pairs = query.split("&").filter((pair) => pair !== "");
  return {
    path,
    pairs: pairs.map((pair) => {
      const equals = pair.indexOf("=");
      const [name, value] = equals < 0 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
      return [decode(name.replaceAll("+", " ")), decode(value.replaceAll("+", " "))];
    }),
  };
}

function parameters(pairs: readonly [string, string][]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (found.has(name)) throw new errors.InvalidParameter(`${name} is given more than once`, { field: name });
    found.set(name, value);
  }
  return found;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new errors.InvalidParameter("the path or query string holds a broken percent-encoding");
  }
}
