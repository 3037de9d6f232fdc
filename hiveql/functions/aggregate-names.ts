/** Names of the aggregate functions, in a file of its own so that the binder need not import the function table. */
import { aggregateFunctions } from "./aggregate";
import { approximatingFunctions } from "./approximation";
import { ngramFunctions } from "./ngrams";
import { statisticalFunctions } from "./statistical";

/** All names of aggregate functions. */
export const aggregateNames: ReadonlySet<string> = new Set(
  [...aggregateFunctions, ...statisticalFunctions, ...approximatingFunctions, ...ngramFunctions].flatMap(
    (entry) => entry.names,
  ),
);
