/** Written by "npm run generate" from provider/lifecycles: change the declarations there. */
export type * from "./objects";
export type * from "./split-table";
export type * from "./select-query";
export type * from "./cluster-restart";
export type * from "./cluster-log-export";
export { propertyNames, updatedInputs } from "./property-names";
