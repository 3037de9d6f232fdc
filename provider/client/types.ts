/** Written by "npm run generate" from the zod schemas: change the declarations there. */

export type SelectRecord = {
  /** Format of the result. */
  readonly outputFormat: "csv" | "tsv";
  /** Folder of the result, ending in `/`. */
  readonly outputResourcePath: string;
  readonly type: "select";
  /** Number of the stage that is running, from 1; 0 before the first stage. */
  readonly stage: number;
  /** The HiveQL statement. A list has the first 1,000 characters of a longer one, followed by `…`. */
  readonly query: string;
  /** Query identifier. */
  readonly id: number;
  /** Engine of the query: always `mapreduce`. */
  readonly processEngine: string;
  /** `hive` for a select, `mapreduce` for a split. */
  readonly dsl: string;
  /** Status of the query. */
  readonly status: "running" | "finished" | "canceled" | "error";
  /** Name of the cluster that runs the query. */
  readonly clusterName: string;
  /** True when the cluster was restarted after the query was submitted. */
  readonly clusterRebooted: boolean;
  /** Access key identifier of the submitter. */
  readonly accessKeyId: string;
  /** Time at which the service accepted the query, `YYYY-MM-DD HH:MM:SS`, UTC. */
  readonly startTime: string;
  /** Progress of the query, such as `45%`. */
  readonly progress: string;
  /** Label of the query; absent or null if it has none. */
  readonly label?: string | null | undefined;
  readonly [field: string]: unknown;
};

export type SplitRecord = {
  /** Input objects, each `dag://<bucket>/<path>`. */
  readonly inputObjectKeys: string[];
  /** Format of the input objects. */
  readonly inputFormat: "csv" | "tsv" | "json";
  /** Database of the table. */
  readonly outputDatabase: string;
  /** Name of the table. */
  readonly outputTable: string;
  readonly type: "split";
  /** Query identifier. */
  readonly id: number;
  /** Engine of the query: always `mapreduce`. */
  readonly processEngine: string;
  /** `hive` for a select, `mapreduce` for a split. */
  readonly dsl: string;
  /** Status of the query. */
  readonly status: "running" | "finished" | "canceled" | "error";
  /** Name of the cluster that runs the query. */
  readonly clusterName: string;
  /** True when the cluster was restarted after the query was submitted. */
  readonly clusterRebooted: boolean;
  /** Access key identifier of the submitter. */
  readonly accessKeyId: string;
  /** Time at which the service accepted the query, `YYYY-MM-DD HH:MM:SS`, UTC. */
  readonly startTime: string;
  /** Progress of the query, such as `45%`. */
  readonly progress: string;
  /** Identifier of the engine's job, such as `split-7`. */
  readonly jobId?: string | null | undefined;
  /** Columns of the table, `<type> <name>, …`; empty when the split declared none and the engine reported none. */
  readonly schema?: string | null | undefined;
  /** Label of the query; absent or null if it has none. */
  readonly label?: string | null | undefined;
  readonly [field: string]: unknown;
};

export type QueryRecord = SelectRecord | SplitRecord;

export type QuerySummary =
  | {
      readonly type: "select";
      /** Number of the stage that is running, from 1; 0 before the first stage. */
      readonly stage: number;
      /** The HiveQL statement. A list has the first 1,000 characters of a longer one, followed by `…`. */
      readonly query: string;
      /** Query identifier. */
      readonly id: number;
      /** Engine of the query: always `mapreduce`. */
      readonly processEngine: string;
      /** `hive` for a select, `mapreduce` for a split. */
      readonly dsl: string;
      /** Status of the query. */
      readonly status: "running" | "finished" | "canceled" | "error";
      /** Name of the cluster that runs the query. */
      readonly clusterName: string;
      /** True when the cluster was restarted after the query was submitted. */
      readonly clusterRebooted: boolean;
      /** Access key identifier of the submitter. */
      readonly accessKeyId: string;
      /** Time at which the service accepted the query, `YYYY-MM-DD HH:MM:SS`, UTC. */
      readonly startTime: string;
      /** Progress of the query, such as `45%`. */
      readonly progress: string;
      /** Label of the query; absent or null if it has none. */
      readonly label?: string | null | undefined;
      readonly [field: string]: unknown;
    }
  | {
      readonly type: "split";
      /** Query identifier. */
      readonly id: number;
      /** Engine of the query: always `mapreduce`. */
      readonly processEngine: string;
      /** `hive` for a select, `mapreduce` for a split. */
      readonly dsl: string;
      /** Status of the query. */
      readonly status: "running" | "finished" | "canceled" | "error";
      /** Name of the cluster that runs the query. */
      readonly clusterName: string;
      /** True when the cluster was restarted after the query was submitted. */
      readonly clusterRebooted: boolean;
      /** Access key identifier of the submitter. */
      readonly accessKeyId: string;
      /** Time at which the service accepted the query, `YYYY-MM-DD HH:MM:SS`, UTC. */
      readonly startTime: string;
      /** Progress of the query, such as `45%`. */
      readonly progress: string;
      /** Label of the query; absent or null if it has none. */
      readonly label?: string | null | undefined;
      readonly [field: string]: unknown;
    };

export type QueryPage = {
  /** True when there are more records. */
  readonly isTruncated: boolean;
  /** The queries of the page, with the fields of [getQuery](#getquery) that a list has: without the `output…` and `input…` fields, `jobId` and `schema`. */
  readonly queries: QuerySummary[];
  readonly nextMarker?: number | null | undefined;
  readonly [field: string]: unknown;
};

export type QueryLog = {
  /** Text of the log, one line an event; empty before the first. */
  readonly log: string;
  readonly [field: string]: unknown;
};

export type Submission = {
  /** Identifier of the new query. */
  readonly queryId: number;
  readonly [field: string]: unknown;
};

export type ClusterRecord = {
  /** Name of the cluster. */
  readonly name: string;
  readonly status:
    | "error"
    | "init"
    | "reserved"
    | "stopped"
    | "starting"
    | "restarting"
    | "norm"
    | "failed"
    | "ptfailed";
  /** Engine family. */
  readonly type: string;
  /** Instances of the cluster. */
  readonly instances: {
    /** Grade (machine type) of the instances. */
    readonly grade: string;
    /** Number of instances of this grade. */
    readonly quantity: number;
    readonly [field: string]: unknown;
  }[];
  /** True when the engine writes verbose logs. */
  readonly debug: boolean;
  readonly [field: string]: unknown;
};

export type ClusterPage = {
  readonly isTruncated: boolean;
  /** The clusters of the page, each as [getCluster](#getcluster) returns it. */
  readonly clusters: ClusterRecord[];
  readonly nextMarker?: string | null | undefined;
  readonly [field: string]: unknown;
};

export type ClusterStatistics = {
  readonly name: string;
  readonly type: string;
  /** Disk usage of the whole storage. */
  readonly disk: {
    /** Used bytes. */
    readonly used: number;
    /** Total bytes. */
    readonly capacity: number;
    readonly [field: string]: unknown;
  };
  readonly instances: {
    /** Identifier of the instance. */
    readonly instanceId: number;
    readonly grade: string;
    readonly disk: {
      /** Bytes used by the cluster's distributed file system. */
      readonly dfsUsed: number;
      /** Bytes used by anything else. */
      readonly nonDfsUsed: number;
      readonly capacity: number;
      readonly [field: string]: unknown;
    };
    readonly [field: string]: unknown;
  }[];
  readonly [field: string]: unknown;
};

export type CatalogDatabase = {
  readonly database: string;
  /** In the order of their names; the first 10,000 when `isCut` is true. */
  readonly tables: {
    readonly table: string;
    readonly source: "select" | "split" | "declared" | "folder";
    /** Format of the objects; absent in the list when it is not known. */
    readonly format?: "csv" | "tsv" | "json" | "parquet" | undefined;
    /** The declared columns, or those of a result, then the partition columns. Absent when the engine infers them. */
    readonly columns?:
      | {
          readonly name: string;
          readonly type: string;
        }[]
      | undefined;
  }[];
  readonly views: {
    readonly view: string;
    /** The SELECT that it stands for. */
    readonly query: string;
    /** Names of its columns; absent when they are not known, as when no cluster is up or a table of it is gone. */
    readonly columns?: string[] | undefined;
    /** What is wrong with its statement, when its columns are not known for that. */
    readonly problem?: string | undefined;
  }[];
  /** True when there are more tables. */
  readonly isCut?: boolean | undefined;
};

export type CheckAnswer = {
  readonly problems: {
    /** From 1; 0 when the problem has no position. */
    readonly line: number;
    readonly column: number;
    readonly message: string;
    readonly severity: "error" | "warning";
    /** Code of the error that a submission of the statement gets. */
    readonly code?: string | undefined;
  }[];
  /** The cluster whose engine checked the statement: another one than was named when that one is down. */
  readonly clusterName?: string | undefined;
};

export type ObjectPage = {
  readonly objects: {
    readonly location: string;
    readonly size: number;
    readonly lastModified: string;
  }[];
  readonly isTruncated: boolean;
  /** Location of the page's last object, when there are more. */
  readonly nextMarker?: string | undefined;
};

export type OutputFolder = {
  readonly location: string;
  /** The select whose result is there, as it wrote it. */
  readonly queryId?: number | undefined;
  /** What is there, or is around it, when it is not the result of a select: a sentence without its period. */
  readonly others?: string | undefined;
  /** True when `others` is the table around the folder, of which nothing outside the folder is deleted. */
  readonly isInside?: boolean | undefined;
  /** The last split that wrote a table there; `change` says which objects are not those that it published, if any. */
  readonly split?:
    | {
        readonly queryId: number;
        readonly change?: string | undefined;
      }
    | undefined;
};

/** The arguments of each operation: its path parameters, query parameters and body fields. */
export type OperationRequests = {
  readonly submitSelect: {
    readonly clusterName: string;
    readonly query: string;
    readonly outputResourcePath: string;
    readonly label?: string | null | undefined;
    readonly outputFormat?: "csv" | "tsv" | null | undefined;
  };
  readonly submitSplit: {
    readonly clusterName: string;
    readonly inputObjectKeys: string[];
    readonly outputDatabase: string;
    readonly outputTable: string;
    readonly inputFormat?: "csv" | "tsv" | "json" | null | undefined;
    readonly schema?: string | null | undefined;
    readonly label?: string | null | undefined;
  };
  readonly listQueries: {
    readonly max?: number | undefined;
    readonly marker?: number | undefined;
    readonly status?: ("running" | "finished" | "canceled" | "error")[] | undefined;
    readonly type?: "select" | "split" | undefined;
    readonly labelPrefix?: string | undefined;
    readonly clusterName?: string | undefined;
    readonly clusterNamePrefix?: string | undefined;
    readonly clusterRebooted?: boolean | undefined;
    readonly order?: "asc" | "desc" | undefined;
  };
  readonly getQuery: {
    /** Identifier of the query, as returned by its submission. */
    readonly queryId: number;
  };
  readonly cancelQuery: {
    /** Identifier of the query, as returned by its submission. */
    readonly queryId: number;
  };
  readonly getQueryLog: {
    /** Identifier of the query, as returned by its submission. */
    readonly queryId: number;
  };
  readonly restartCluster: {
    /** Name of the cluster. */
    readonly clusterName: string;
    readonly force?: boolean | null | undefined;
    readonly type?: string | null | undefined;
    readonly debug?: boolean | null | undefined;
  };
  readonly listClusters: {
    readonly max?: number | undefined;
    readonly marker?: string | undefined;
    readonly status?:
      | ("error" | "init" | "reserved" | "stopped" | "starting" | "restarting" | "norm" | "failed" | "ptfailed")[]
      | undefined;
    readonly type?: string | undefined;
    readonly clusterName?: string | undefined;
    readonly clusterNamePrefix?: string | undefined;
    readonly order?: "asc" | "desc" | undefined;
  };
  readonly getCluster: {
    /** Name of the cluster. */
    readonly clusterName: string;
  };
  readonly getClusterStatistics: {
    /** Name of the cluster. */
    readonly clusterName: string;
  };
  readonly exportClusterLog: {
    /** Name of the cluster. */
    readonly clusterName: string;
    readonly outputLogPath: string;
    readonly compress?: boolean | null | undefined;
  };
};

/** The response of each operation; undefined for one that responds with nothing. */
export type OperationResponses = {
  readonly submitSelect: Submission;
  readonly submitSplit: Submission;
  readonly listQueries: QueryPage;
  readonly getQuery: QueryRecord;
  readonly cancelQuery: undefined;
  readonly getQueryLog: QueryLog;
  readonly restartCluster: undefined;
  readonly listClusters: ClusterPage;
  readonly getCluster: ClusterRecord;
  readonly getClusterStatistics: ClusterStatistics;
  readonly exportClusterLog: undefined;
};
