/** Creates the state of a translation. */
import { bindExpression } from "./bind/expression";
import { bindBody, bindQuery, bindValues } from "./bind/query/query";
import type { TranslationContext } from "./bind/scope";

/** Returns the state for one statement. */
export function translationContext(
  given: Pick<TranslationContext, "catalog" | "viewAt" | "settings" | "user">,
): TranslationContext {
  let count = 0;
  return {
    ...given,
    binder: { expression: bindExpression, query: bindQuery, body: bindBody, values: bindValues },
    tables: new Set(),
    uniqueName: (prefix) => `${prefix}${(count += 1)}`,
    ctes: [],
    notes: new Set(),
  };
}
