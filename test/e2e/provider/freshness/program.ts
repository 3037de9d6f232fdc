/** A program whose queries read its table, and each other's results, for the tests of both front ends. */
import * as pulumi from "@pulumi/pulumi";
import type { SelectQueryArgs, SplitTableArgs } from "../../../../provider";
import type { FrontEnd } from "../../programs/front-ends";

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
export function pipeline({ table, query, reading }: FrontEnd, settings: Settings) {
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
    reading(events),
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
    reading(cleaned),
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
