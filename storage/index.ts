/** Object storage: the interface and its adapters. */
export { FileStorage } from "./file";
export { headerWarning } from "./header-row";
export { openStorage, StorageSpecificationError } from "./open";
export { S3Storage } from "./s3";
export { requireInputFormat } from "./sniff-format";
export type { Storage } from "./storage";
