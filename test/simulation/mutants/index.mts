/**
 * Changes of one line of the real code, each of which takes away a fence, an order, a flush, an attempt's number or a look
 * before a repeat. Schedules must find each: they show that the simulation can fail.
 */
import type { Mutant } from "./mutant.mts";
import { outputsMutants } from "./outputs.mts";
import { postgresMutants } from "./postgres.mts";
import { providerMutants } from "./provider.mts";
import { serviceMutants } from "./service.mts";

export const mutants: readonly Mutant[] = [
  ...serviceMutants,
  ...outputsMutants,
  ...providerMutants,
  ...postgresMutants,
];
