/** Both front ends with Pulumi's resource options, for tests of users' programs. */
import * as pulumi from "@pulumi/pulumi";
import type { SelectQueryArgs, SplitTableArgs } from "../../../provider";
import { ofToday } from "../../today";
import { PluginResource } from "../plugin/resources";
import { dag } from "../provider/harness";

type Options = pulumi.CustomResourceOptions;

interface Query extends pulumi.CustomResource {
  readonly queryId: pulumi.Output<number>;
  readonly result: pulumi.Output<{ readonly rows?: unknown } | undefined>;
  readonly location: pulumi.Output<string>;
}

interface Table extends Query {
  readonly qualifiedName: pulumi.Output<string>;
}

/** Creates resources through one of the front ends. */
export interface FrontEnd {
  readonly name: string;
  /** Returns the Pulumi type of a resource, such as `dag:index:SelectQuery`. */
  type(resource: string): string;
  /** Maximum size of a resource of the freshness pipeline in the state, in bytes. */
  readonly stateLimit: number;
  /** What a detailed preview shows of the table `events` that was rebuilt. A dynamic resource can say it in its row only. */
  readonly rebuilt: string;
  /** Options of a query that reads what these resources write: none for a front end that finds them by itself. */
  reading(...resources: pulumi.Resource[]): Options;
  table(name: string, args: SplitTableArgs, options?: Options): Table;
  query(name: string, args: SelectQueryArgs, options?: Options): Query;
}

export const frontEnds: readonly FrontEnd[] = [
  {
    name: "dynamic provider",
    type: (resource) => `pulumi-nodejs:dynamic/dag:${resource}`,
    stateLimit: 1_300,
    rebuilt: "dag:SelectQuery::cleaned]",
    reading: () => ({}),
    table: (name, args, options) => new dag.SplitTable(name, args, options) as unknown as Table,
    query: (name, args, options) => new dag.SelectQuery(name, args, options) as unknown as Query,
  },
  {
    name: "plugin",
    type: (resource) => `dag:index:${resource}`,
    stateLimit: 900,
    rebuilt: "+ tables.events was rebuilt: ",
    reading: (...resources) => ({ dependsOn: resources }),
    table: (name, args, options) => new PluginResource("SplitTable", name, { ...args }, options),
    query: (name, args, options) => new PluginResource("SelectQuery", name, { ...args }, options),
  },
];

/**
 * Returns the front end with which a suite runs today, and tomorrow with the other one: what they do is the same code, and
 * a test of the real engine takes seconds. Both with `DAG_TEST_ALL=1`.
 *
 * @param half 0 for one half of the suites, 1 for the other, so that each front end is tested every day
 */
export const frontEndOfToday = (half: 0 | 1) => ofToday(frontEnds, 2, half);

/** A table of birds in a database, whose objects are purged with it. */
export function birds(database: string, more: Partial<SplitTableArgs> = {}): SplitTableArgs {
  return {
    clusterName: "demo",
    inputObjectKeys: ["dag://raw/birds.csv"],
    outputDatabase: database,
    outputTable: "birds",
    schema: "string bird, bigint n",
    deletionPolicy: "purge",
    ...more,
  };
}

/** A query that writes one number. */
export function number(
  value: number,
  outputResourcePath: string,
  more: Partial<SelectQueryArgs> = {},
): SelectQueryArgs {
  const query = `SELECT ${value} AS n`;
  return { clusterName: "demo", query, outputResourcePath, deletionPolicy: "purge", resultRows: 1, ...more };
}

export const objects = { "dag://raw/birds.csv": "owl,2\nwren,1\nowl,3\n" };
