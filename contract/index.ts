/** The contract of the Query and Cluster Management Service, shared by client and service. */
export * from "./columns";
export * from "./endpoint";
export * from "./errors";
export * from "./excerpt";
export * from "./extension";
export * as fields from "./fields";
export * from "./location";
export * from "./reserved-folders";
export * from "./operations";
export * from "./request-headers";
export * from "./partitions";
export * from "./printable";
export * from "./query-log";
export * from "./records";
export * from "./signature";
export * from "./string-to-sign";
export * from "./validate";
export * from "./values";
