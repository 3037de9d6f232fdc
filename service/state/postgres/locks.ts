/** The numbers of the advisory locks of the database. Each lock is one of all processes that use it. */
export const locks = {
  /** Migration of the tables. */
  migration: 5_310_207,
  /** The task that one process runs at a time: {@link RetentionRecords.exclusively}. */
  retention: 5_310_208,
  /** Takeovers, one after another. */
  takeover: 5_310_209,
  /** Sending OpenLineage events: {@link LineageRuns.exclusively}. */
  lineage: 5_310_210,
  /** First number of the locks of buckets; the second is a hash of the bucket's name. */
  bucket: 5_310,
} as const;
