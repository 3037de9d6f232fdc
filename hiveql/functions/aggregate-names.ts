/** Names of the aggregates, apart from their declarations so that telling one needs none of them. */
import { aggregateFunctions } from "./aggregate";
import { approximatingFunctions } from "./approximation";
import { ngramFunctions } from "./ngrams";
import { statisticalFunctions } from "./statistical";

export const aggregateNames: ReadonlySet<string> = new Set(
  [...aggregateFunctions, ...statisticalFunctions, ...approximatingFunctions, ...ngramFunctions].flatMap(
    (entry) => entry.names,
  ),
);
