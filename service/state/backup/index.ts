/** Backups of a service: its state in SQLite, and its buckets when they are in a folder. */
export { backUp } from "./back-up";
export { restore } from "./restore";
