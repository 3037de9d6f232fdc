/**
 * Query IDs that a restored service leaves out. Those that were given after the backup are among them, so that no ID is
 * given again: stacks and callers know them.
 */
export const skippedIds = 1_000_000;
