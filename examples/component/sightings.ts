import * as dag from "pulumi-dag";
import * as pulumi from "@pulumi/pulumi";

export interface SightingsArgs {
  readonly clusterName: pulumi.Input<string>;
  readonly bucket: string;
  /** The file of the region, `dag://<bucket>/raw/<region>.csv`. */
  readonly region: string;
}

/** The sightings of a region: a table of its file, and two reports of the table. */
export class Sightings extends pulumi.ComponentResource {
  /** Name of the table, for other queries. */
  readonly table: pulumi.Output<string>;
  /** Birds with the number of their sightings. */
  readonly birds: pulumi.Output<unknown>;
  /** Months with the number of sightings. */
  readonly months: pulumi.Output<unknown>;

  constructor(name: string, { clusterName, bucket, region }: SightingsArgs, options?: pulumi.ComponentResourceOptions) {
    super("example:birds:Sightings", name, {}, options);
    // Resources of a component have it as their parent, and its name in theirs: two of one type need different names.
    const own = { parent: this };

    const table = new dag.SplitTable(
      `${name}-table`,
      {
        clusterName,
        inputObjectKeys: [`dag://${bucket}/raw/${region}.csv`],
        outputDatabase: bucket,
        outputTable: `sightings_${region}`,
        schema: "string bird, date day, bigint seen",
        deletionPolicy: "purge",
      },
      own,
    );
    this.table = table.qualifiedName;

    const report = (column: string, of: string) =>
      new dag.SelectQuery(
        `${name}-${column}s`,
        {
          clusterName,
          query: pulumi.interpolate`
            SELECT ${of} AS ${column}, sum(seen) AS seen FROM ${table.qualifiedName} GROUP BY ${of} ORDER BY ${column}`,
          outputResourcePath: `dag://${bucket}/reports/${region}/${column}s/`,
          resultRows: 20,
          deletionPolicy: "purge",
        },
        own,
      ).result.apply((result) => result?.rows);
    this.birds = report("bird", "bird");
    this.months = report("month", "substr(CAST(day AS string), 1, 7)");

    this.registerOutputs({ table: this.table, birds: this.birds, months: this.months });
  }
}
