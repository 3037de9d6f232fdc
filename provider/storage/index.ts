/** Object storage: the port and its adapters. */
export { FileStorage } from "./file";
export { openStorage, StorageSpecificationError } from "./open";
export { S3Storage, type S3StorageOptions } from "./s3";
export type { ByteRange, Storage, StoredObject } from "./storage";
