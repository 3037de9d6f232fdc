/** The programs that the rehearsal's users deploy: one table and one query of it, in each language. */

/** @param {string} name */
export const projectFile = (name) => `name: ${name}\nruntime: nodejs\n`;

/**
 * @param {string} name of the project, also of its output
 * @param {"import" | "require"} style
 */
export function javascript(name, style) {
  const head = style === "import" ? 'import * as dag from "pulumi-dag";' : 'import dag = require("pulumi-dag");';
  return `${head}

const birds = new dag.SplitTable("birds", {
  clusterName: "demo",
  inputObjectKeys: ["dag://data/raw/birds.csv"],
  outputDatabase: "tables",
  schema: "string bird, int eggs",
});
const eggs = new dag.SelectQuery("eggs", {
  clusterName: "demo",
  query: birds.qualifiedName.apply((table: string) => \`SELECT sum(eggs) AS eggs FROM \${table}\`),
  outputResourcePath: "dag://results/${name}/",
  resultRows: 10,
});
${style === "import" ? "export const rows =" : "export = { rows:"} eggs.result.apply((result: any) => result?.rows)${style === "import" ? ";" : " };"}
`;
}

export const yaml = `name: yaml
runtime: yaml
resources:
  birds:
    type: dag:SplitTable
    properties:
      clusterName: demo
      inputObjectKeys: ["dag://data/raw/birds.csv"]
      outputDatabase: tables
      schema: string bird, int eggs
  eggs:
    type: dag:SelectQuery
    properties:
      clusterName: demo
      query: SELECT sum(eggs) AS eggs FROM \${birds.qualifiedName}
      outputResourcePath: dag://results/yaml/
      resultRows: 10
outputs:
  rows: \${eggs.result.rows}
`;

/** The language host of Python is not everywhere, so the program is run by Pulumi's Automation API in Python itself. */
export const python = `import json, sys
import pulumi
from pulumi import automation as auto
import pulumi_dag as dag

def program():
    birds = dag.SplitTable("birds", cluster_name="demo", input_object_keys=["dag://data/raw/birds.csv"],
        output_database="tables", schema="string bird, int eggs")
    eggs = dag.SelectQuery("eggs", cluster_name="demo",
        query=pulumi.Output.concat("SELECT sum(eggs) AS eggs FROM ", birds.qualified_name),
        output_resource_path="dag://results/python/", result_rows=10)
    pulumi.export("rows", eggs.result.apply(lambda result: result.rows))

stack = auto.create_or_select_stack(stack_name="dev", project_name="python", program=program)
first = stack.up()
second = stack.up()
print(json.dumps({"rows": first.outputs["rows"].value, "second": second.summary.resource_changes}))
stack.destroy()
`;

/** As in Python. */
export const go = `package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pulumi-dag/pulumi-dag/sdk/go/dag"
	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	stack, err := auto.UpsertStackInlineSource(ctx, "dev", "go", func(ctx *pulumi.Context) error {
		birds, err := dag.NewSplitTable(ctx, "birds", &dag.SplitTableArgs{
			ClusterName:     pulumi.String("demo"),
			InputObjectKeys: pulumi.StringArray{pulumi.String("dag://data/raw/birds.csv")},
			OutputDatabase:  pulumi.String("tables"),
			Schema:          pulumi.String("string bird, int eggs"),
		})
		if err != nil {
			return err
		}
		eggs, err := dag.NewSelectQuery(ctx, "eggs", &dag.SelectQueryArgs{
			ClusterName:        pulumi.String("demo"),
			Query:              pulumi.Sprintf("SELECT sum(eggs) AS eggs FROM %s", birds.QualifiedName),
			OutputResourcePath: pulumi.String("dag://results/go/"),
			ResultRows:         pulumi.Int(10),
		})
		if err != nil {
			return err
		}
		ctx.Export("rows", eggs.Result.Rows())
		return nil
	})
	must(err)
	first, err := stack.Up(ctx)
	must(err)
	second, err := stack.Up(ctx)
	must(err)
	text, err := json.Marshal(map[string]any{"rows": first.Outputs["rows"].Value, "second": second.Summary.ResourceChanges})
	must(err)
	fmt.Println(string(text))
	_, err = stack.Destroy(ctx)
	must(err)
}
`;
