/** Schemas of the service's responses (specification §2). Unknown fields, which a later service may add, are kept. */
import * as z from "zod";
import { clusterStatuses, inputFormats, outputFormats, queryStatuses } from "./values";

const integer = z.int();
const count = integer.nonnegative();

const commonFields = {
  /** Query identifier. */
  id: integer,
  /** Engine of the query: always `mapreduce`. */
  processEngine: z.string(),
  /** `hive` for a select, `mapreduce` for a split. */
  dsl: z.string(),
  /** Status of the query. */
  status: z.enum(queryStatuses),
  /** Name of the cluster that runs the query. */
  clusterName: z.string(),
  /** True when the cluster was restarted after the query was submitted. */
  clusterRebooted: z.boolean(),
  /** Access key identifier of the submitter. */
  accessKeyId: z.string(),
  /** Time at which the service accepted the query, `YYYY-MM-DD HH:MM:SS`, UTC. */
  startTime: z.string(),
  /** Progress of the query, such as `45%`. */
  progress: z.string(),
  /** Label of the query; absent or null if it has none. */
  label: z.string().nullish(),
};

const selectListFields = {
  ...commonFields,
  type: z.literal("select").describe("Type of the query."),
  /** Number of the stage that is running, from 1; 0 before the first stage. */
  stage: integer,
  /** The HiveQL statement. A list has the first 1,000 characters of a longer one, followed by `…`. */
  query: z.string(),
};

const splitListFields = { ...commonFields, type: z.literal("split").describe("Type of the query.") };

/** A query in a list response; its fields depend on `type`. */
export const querySummary = z.discriminatedUnion("type", [
  z.looseObject(selectListFields),
  z.looseObject(splitListFields),
]);
export type QuerySummary = z.infer<typeof querySummary>;

/** A select query in a get response. */
export const selectRecord = z.looseObject({
  ...selectListFields,
  /** Format of the result. */
  outputFormat: z.enum(outputFormats),
  /** Folder of the result, ending in `/`. */
  outputResourcePath: z.string(),
});
export type SelectRecord = z.infer<typeof selectRecord>;

/** A split query in a get response. */
export const splitRecord = z.looseObject({
  ...splitListFields,
  /** Identifier of the engine's job, such as `split-7`. */
  jobId: z.string().nullish(),
  /** Columns of the table, `<type> <name>, …`; empty when the split declared none and the engine reported none. */
  schema: z.string().nullish(),
  /** Input objects, each `dag://<bucket>/<path>`. */
  inputObjectKeys: z.array(z.string()),
  /** Format of the input objects. */
  inputFormat: z.enum(inputFormats),
  /** Database of the table. */
  outputDatabase: z.string(),
  /** Name of the table. */
  outputTable: z.string(),
});
export type SplitRecord = z.infer<typeof splitRecord>;

/** A query in a get response. */
export const queryRecord = z.discriminatedUnion("type", [selectRecord, splitRecord]);
export type QueryRecord = z.infer<typeof queryRecord>;

/** The response to a submission. */
export const submission = z.looseObject({
  /** Identifier of the new query. */
  queryId: integer.positive(),
});
export type Submission = z.infer<typeof submission>;

/** The response to a log request. */
export const queryLog = z.looseObject({
  /** Text of the log, one line an event; empty before the first. */
  log: z.string(),
});
export type QueryLog = z.infer<typeof queryLog>;

const instanceGroup = z.looseObject({
  /** Grade (machine type) of the instances. */
  grade: z.string(),
  /** Number of instances of this grade. */
  quantity: count,
});

/** A cluster. */
export const clusterRecord = z.looseObject({
  /** Name of the cluster. */
  name: z.string(),
  // The generator takes a field's description from its comment by the field's name; `describe` overrides it.
  status: z.enum(clusterStatuses).describe("Status of the cluster. It accepts queries in `norm` and `ptfailed`."),
  /** Engine family. */
  type: z.string(),
  /** Instances of the cluster. */
  instances: z.array(instanceGroup),
  /** True when the engine writes verbose logs. */
  debug: z.boolean(),
});
export type ClusterRecord = z.infer<typeof clusterRecord>;

/** Disk usage of the storage, which all clusters share, in bytes. */
export const clusterStatistics = z.looseObject({
  name: z.string(),
  type: z.string(),
  /** Disk usage of the whole storage. */
  disk: z.looseObject({
    /** Used bytes. */
    used: count,
    /** Total bytes. */
    capacity: count,
  }),
  instances: z.array(
    z.looseObject({
      /** Identifier of the instance. */
      instanceId: count,
      grade: z.string(),
      disk: z
        .looseObject({
          /** Bytes used by the cluster's distributed file system. */
          dfsUsed: count,
          /** Bytes used by anything else. */
          nonDfsUsed: count,
          capacity: count,
        })
        .describe("Disk usage of the instance."),
    }),
  ),
});
export type ClusterStatistics = z.infer<typeof clusterStatistics>;

/** A page of queries. `nextMarker` is set when `isTruncated` is true. */
export const queryPage = z.looseObject({
  nextMarker: integer.nullish().describe("Identifier of the page's last query. Send it as `marker` for the next page."),
  /** True when there are more records. */
  isTruncated: z.boolean(),
  /** The queries of the page, with the fields of [getQuery](#getquery) that a list has: without the `output…` and `input…` fields, `jobId` and `schema`. */
  queries: z.array(querySummary),
});
export type QueryPage = z.infer<typeof queryPage>;

/** A page of clusters. `nextMarker` is set when `isTruncated` is true. */
export const clusterPage = z.looseObject({
  nextMarker: z.string().nullish().describe("Name of the page's last cluster. Send it as `marker` for the next page."),
  isTruncated: z.boolean(),
  /** The clusters of the page, each as [getCluster](#getcluster) returns it. */
  clusters: z.array(clusterRecord),
});
export type ClusterPage = z.infer<typeof clusterPage>;

/** Body of every error response. */
export const errorBody = z.looseObject({
  code: z.string(),
  /** Description of the error: which field is invalid and why. */
  message: z.string(),
  status: integer,
  /** Identifier of the request, equal to the `x-svc-request-id` header. */
  requestId: z.string(),
  /** Path and operation key of the request. */
  resource: z.string(),
});
export type ErrorBody = z.infer<typeof errorBody>;
