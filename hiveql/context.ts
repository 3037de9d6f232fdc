/** Creates the state of a translation. */
import { bindExpression } from "./bind/expression";
import { bindBody, bindQuery, bindValues } from "./bind/query/query";
import type { Catalog, TranslationContext } from "./bind/scope";
import type { Plan } from "./rules/plan";
import type { Settings } from "./settings";

/** Returns the state for one statement. */
export function translationContext(catalog: Catalog, settings: Settings, plan: Plan): TranslationContext {
  let count = 0;
  return {
    binder: { expression: bindExpression, query: bindQuery, body: bindBody, values: bindValues },
    catalog,
    settings,
    plan,
    tables: new Set(),
    uniqueName: (prefix) => `${prefix}${(count += 1)}`,
    viewOrigins: new Map(),
    ctes: [],
  };
}
