/** Backups of a service: its state in SQLite, and its buckets when they are in a folder. PostgreSQL has its own. */
export { backUp } from "./back-up";
export { restore } from "./restore";
export { skipIds } from "./restored-database";
