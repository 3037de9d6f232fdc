/** What the service answers (specification §2). Fields that a later service adds are kept as they are. */
import * as z from "zod";
import { clusterStatuses, inputFormats, outputFormats, queryStatuses } from "./values";

const integer = z.int();

const commonFields = {
  /** Query identifier. */
  id: integer,
  /** The engine family the specification observed: always `mapreduce`. */
  processEngine: z.string(),
  /** `hive` for a select, `mapreduce` for a split. */
  dsl: z.string(),
  /** Status of the query. */
  status: z.enum(queryStatuses),
  /** Cluster running the query. */
  clusterName: z.string(),
  /** Whether the cluster was restarted since the query was submitted. */
  clusterRebooted: z.boolean(),
  /** Access key identifier of the submitter. */
  accessKeyId: z.string(),
  /** When the query was accepted, `YYYY-MM-DD HH:MM:SS`, UTC. */
  startTime: z.string(),
  /** Share of the work that is done, such as `45%`. */
  progress: z.string(),
  /** Label of the submission; absent or null where it had none. */
  label: z.string().nullish(),
};

const selectListFields = {
  ...commonFields,
  type: z.literal("select"),
  /** Number of the stage that runs, from 1; 0 before the first. */
  stage: integer,
  /** The HiveQL statement. */
  query: z.string(),
};

const splitListFields = { ...commonFields, type: z.literal("split") };

/** A query as the list answers it: the fields depend on `type`. */
export const querySummary = z.discriminatedUnion("type", [
  z.looseObject(selectListFields),
  z.looseObject(splitListFields),
]);
export type QuerySummary = z.infer<typeof querySummary>;

/** A select query as get answers it. */
export const selectRecord = z.looseObject({
  ...selectListFields,
  /** Format of the result. */
  outputFormat: z.enum(outputFormats),
  /** The folder of the result, ending in `/`. */
  outputResourcePath: z.string(),
});
export type SelectRecord = z.infer<typeof selectRecord>;

/** A split query as get answers it. */
export const splitRecord = z.looseObject({
  ...splitListFields,
  /** The engine's own identifier of the work; absent or null before it starts. */
  jobId: z.string().nullish(),
  /** Columns of the table, `<type> <name>, …`. */
  schema: z.string().nullish(),
  /** Objects that were split, each `dag://<bucket>/<path>`. */
  inputObjectKeys: z.array(z.string()),
  /** Format of the objects. */
  inputFormat: z.enum(inputFormats),
  /** Database of the table. */
  outputDatabase: z.string(),
  /** Name of the table. */
  outputTable: z.string(),
});
export type SplitRecord = z.infer<typeof splitRecord>;

/** A query as get answers it. */
export const queryRecord = z.discriminatedUnion("type", [selectRecord, splitRecord]);
export type QueryRecord = z.infer<typeof queryRecord>;

/** The answer to a submission. */
export const submission = z.looseObject({ queryId: integer });
export type Submission = z.infer<typeof submission>;

/** The answer to a log request. */
export const queryLog = z.looseObject({ log: z.string() });
export type QueryLog = z.infer<typeof queryLog>;

const instanceGroup = z.looseObject({
  /** Grade of the instances. */
  grade: z.string(),
  /** Number of instances of this grade. */
  quantity: integer,
});

/** A cluster (specification §2.2). */
export const clusterRecord = z.looseObject({
  /** Name of the cluster. */
  name: z.string(),
  // Not the comment of a query's status.
  status: z.enum(clusterStatuses).describe("Status of the cluster: it takes queries in `norm` and `ptfailed`."),
  /** Engine family. */
  type: z.string(),
  /** Instances of the cluster. */
  instances: z.array(instanceGroup),
  /** Whether the engine writes verbose logs. */
  debug: z.boolean(),
});
export type ClusterRecord = z.infer<typeof clusterRecord>;

/** Disk figures of a cluster, in bytes (specification §2.3). */
export const clusterStatistics = z.looseObject({
  name: z.string(),
  type: z.string(),
  /** Totals of the cluster. */
  disk: z.looseObject({
    /** Bytes that are used. */
    used: integer,
    /** Bytes that there are. */
    capacity: integer,
  }),
  instances: z.array(
    z.looseObject({
      /** Identifier of the instance. */
      instanceId: integer,
      grade: z.string(),
      disk: z.looseObject({
        /** Bytes that the cluster's file system uses. */
        dfsUsed: integer,
        /** Bytes that others use. */
        nonDfsUsed: integer,
        capacity: integer,
      }),
    }),
  ),
});
export type ClusterStatistics = z.infer<typeof clusterStatistics>;

/** A page of queries. `nextMarker` is there when `isTruncated` is true. */
export const queryPage = z.looseObject({
  nextMarker: integer.nullish(),
  isTruncated: z.boolean(),
  queries: z.array(querySummary),
});
export type QueryPage = z.infer<typeof queryPage>;

/** A page of clusters. `nextMarker` is there when `isTruncated` is true. */
export const clusterPage = z.looseObject({
  nextMarker: z.string().nullish(),
  isTruncated: z.boolean(),
  clusters: z.array(clusterRecord),
});
export type ClusterPage = z.infer<typeof clusterPage>;

/** Body of every error answer (design §2). */
export const errorBody = z.looseObject({
  code: z.string(),
  /** Which field and why. */
  message: z.string(),
  status: integer,
  /** Equals the `x-svc-request-id` header. */
  requestId: z.string(),
  /** Path and operation key of the request. */
  resource: z.string(),
});
export type ErrorBody = z.infer<typeof errorBody>;
