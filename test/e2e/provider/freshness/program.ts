/** A program whose queries read its table, and each other's results, for the tests of both front ends. */
import * as pulumi from "@pulumi/pulumi";
import type { SelectQueryArgs, SplitTableArgs } from "../../../../provider";
import { ofToday } from "../../../today";
import { dag } from "../harness";
import { PluginResource } from "../../plugin/resources";

interface Table extends pulumi.Resource {
  readonly qualifiedName: pulumi.Output<string>;
  readonly queryId: pulumi.Output<number>;
}

interface Query extends pulumi.Resource {
  readonly queryId: pulumi.Output<number>;
  readonly result: pulumi.Output<{ readonly rows?: unknown } | undefined>;
}

/** Creates resources through one of the front ends. */
export interface FrontEnd {
  readonly name: string;
  /** Maximum size of a resource in the state, in bytes. */
  readonly stateLimit: number;
  /** What a preview in detail shows of a table that was rebuilt. A dynamic resource can say it in its row only. */
  readonly rebuilt: string;
  table(name: string, args: SplitTableArgs): Table;
  /** @param reads the resources whose tables the query reads; a front end that finds them by itself ignores them. */
  query(name: string, args: SelectQueryArgs, reads?: pulumi.Resource[]): Query;
}

export const dynamicFrontEnd: FrontEnd = {
  name: "dynamic provider",
  stateLimit: 1_300,
  rebuilt: "dag:SelectQuery::cleaned]",
  table: (name, args) => new dag.SplitTable(name, args),
  query: (name, args) => new dag.SelectQuery(name, args),
};

export const pluginFrontEnd: FrontEnd = {
  name: "plugin",
  stateLimit: 900,
  rebuilt: "+ tables.events was rebuilt: ",
  table: (name, args) => new PluginResource("SplitTable", name, { ...args }),
  query: (name, args, reads = []) => new PluginResource("SelectQuery", name, { ...args }, { dependsOn: reads }),
};

/** Returns the front end with which one half of the suites runs today, as that of `programs/front-ends.ts` does. */
export const frontEndOfToday = (half: 0 | 1) => ofToday([dynamicFrontEnd, pluginFrontEnd], 2, half);

/** What a test changes between two runs. */
export interface Settings {
  /** Rebuilds the table. */
  version: number;
  table: Partial<SplitTableArgs>;
  /** A statement that is a function gets the name of the table, as an output of it. */
  cleaned: Partial<Omit<SelectQueryArgs, "query"> & { query: string | ((table: string) => string) }>;
  report: Partial<SelectQueryArgs>;
  kept: Partial<SelectQueryArgs>;
}

export const objects = {
  "dag://raw/2026/a.csv": "owl,2\nwren,1\nowl,3\n",
  "dag://raw/2026/b.csv": "kite,7\n",
};

export const buckets = ["tables", "results", "raw"];

/**
 * Table `events`; query `cleaned` of it; query `report` of that result; query `kept` of the table, whose result is kept;
 * query `other` of no table.
 */
export function pipeline({ table, query }: FrontEnd, settings: Settings) {
  const events = table("events", {
    clusterName: "demo",
    inputObjectKeys: Object.keys(objects),
    outputDatabase: "tables",
    outputTable: "events",
    schema: "string bird, bigint n",
    deletionPolicy: "purge",
    triggers: [settings.version],
    ...settings.table,
  });
  const statement = settings.cleaned.query ?? "SELECT bird, n FROM tables.events WHERE n > 1";
  const cleaned = query(
    "cleaned",
    {
      clusterName: "demo",
      outputResourcePath: "dag://tables/cleaned/",
      ...settings.cleaned,
      query: typeof statement === "string" ? statement : events.qualifiedName.apply(statement),
    },
    [events],
  );
  const report = query(
    "report",
    {
      clusterName: "demo",
      query: "SELECT count(*) AS birds FROM tables.cleaned",
      outputResourcePath: "dag://results/report/",
      resultRows: 1,
      ...settings.report,
    },
    [cleaned],
  );
  const kept = query("kept", {
    clusterName: "demo",
    query: pulumi.interpolate`SELECT count(*) AS birds FROM ${events.qualifiedName}`,
    outputResourcePath: "dag://results/kept/",
    rerunWithTables: false,
    ...settings.kept,
  });
  const other = query("other", {
    clusterName: "demo",
    query: "SELECT 1 AS one",
    outputResourcePath: "dag://results/other/",
  });
  return {
    events: events.queryId,
    cleaned: cleaned.queryId,
    report: report.queryId,
    kept: kept.queryId,
    other: other.queryId,
    birds: report.result.apply((result) => result?.rows),
  };
}
