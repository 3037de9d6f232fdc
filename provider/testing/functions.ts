/** The results that mocked functions have. */
import type { ClusterRecord, ClusterStatistics, QueryLog, QueryRecord, QuerySummary } from "../client/types";
import type { GetClusterArgs, GetClustersArgs, GetQueriesArgs, GetQueryArgs } from "../dynamic/functions";

/** A result, or a function of the arguments that returns it. */
type Mock<Args, Result> = Result | ((args: Args) => Result);

/** Results of functions that differ from the mocks' own. */
export interface FunctionMocks {
  readonly getCluster?: Mock<GetClusterArgs, Partial<ClusterRecord>>;
  readonly getClusters?: Mock<GetClustersArgs, { readonly clusters: readonly ClusterRecord[] }>;
  readonly getClusterStatistics?: Mock<GetClusterArgs, Partial<ClusterStatistics>>;
  readonly getQuery?: Mock<GetQueryArgs, Partial<QueryRecord>>;
  readonly getQueries?: Mock<GetQueriesArgs, { readonly queries: readonly QuerySummary[] }>;
  readonly getQueryLog?: Mock<GetQueryArgs, Partial<QueryLog>>;
}

/** The time of everything that mocks do, in ISO 8601. */
export const mockTime = "2026-01-01T00:00:00.000Z";

/** Returns the result of a function. */
export function mockFunctions(name: string, args: object, mocks: FunctionMocks): Record<string, unknown> {
  if (!Object.hasOwn(results, name)) {
    throw new Error(`pulumi-dag has no function ${name}: use ${Object.keys(results).join(", ")}`);
  }
  const known = name as keyof FunctionMocks;
  const mock = mocks[known] as Mock<object, object> | undefined;
  return { ...results[known](args as never), ...(typeof mock === "function" ? mock(args) : mock) };
}

const results = {
  getCluster: ({ clusterName }: GetClusterArgs) => cluster(clusterName),
  getClusters: () => ({ clusters: [cluster("demo")] }),
  getClusterStatistics: ({ clusterName }: GetClusterArgs) => ({
    name: clusterName,
    type: "duckdb",
    disk: { used: 1_000_000, capacity: 1_000_000_000 },
    instances: [
      {
        instanceId: 1,
        grade: "standard",
        disk: { dfsUsed: 1_000_000, nonDfsUsed: 1_000_000, capacity: 1_000_000_000 },
      },
    ],
  }),
  getQuery: ({ queryId }: GetQueryArgs) => ({
    ...summary(queryId),
    outputFormat: "csv",
    outputResourcePath: "dag://results/mock/",
  }),
  getQueries: ({ clusterName }: GetQueriesArgs) => ({
    queries: [{ ...summary(1), ...(clusterName && { clusterName }) }],
  }),
  getQueryLog: () => ({ log: "finished\n" }),
} satisfies { readonly [Name in keyof FunctionMocks]-?: (args: never) => object };

/** The names of all functions. */
export const functionNames: readonly string[] = Object.keys(results);

function cluster(name: string) {
  return { name, status: "norm", type: "duckdb", instances: [{ grade: "standard", quantity: 5 }], debug: false };
}

function summary(id: number) {
  return {
    id,
    type: "select",
    processEngine: "mapreduce",
    dsl: "hive",
    status: "finished",
    clusterName: "demo",
    clusterRebooted: false,
    accessKeyId: "MOCK",
    startTime: "2026-01-01 00:00:00",
    progress: "100%",
    stage: 1,
    query: "SELECT 1",
  };
}
