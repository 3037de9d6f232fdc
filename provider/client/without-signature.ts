/** Keeps the signature of a request out of the errors that its response becomes. */
import type { HttpResponse } from "./transport";

/** The characters of base64 that programs write in other ways: in a URL, in JSON, in HTML. */
const escaped: Readonly<Record<string, string>> = {
  "+": String.raw`(?:\+|%2[bB]|\\u002[bB]|&#(?:x2[bB]|43);)`,
  "/": String.raw`(?:\\?\/|%2[fF]|\\u002[fF]|&#(?:x2[fF]|47);)`,
  "=": String.raw`(?:=|%3[dD]|\\u003[dD]|&#(?:x3[dD]|61);)`,
};

/**
 * Returns a response without the signature of its request, which a service or a proxy may repeat in any part of it.
 * @param signature in base64
 */
export function withoutSignature(response: HttpResponse, signature: string): HttpResponse {
  const written = new RegExp([...signature].map((character) => escaped[character] ?? character).join(""), "g");
  const clean = (text: string) => text.replaceAll(written, "…");
  return {
    status: response.status,
    text: clean(response.text),
    header: (name) => {
      const value = response.header(name);
      return value === undefined ? undefined : clean(value);
    },
  };
}
