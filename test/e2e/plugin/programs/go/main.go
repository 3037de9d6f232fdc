package main

import (
	"github.com/pulumi-dag/pulumi-dag/sdk/go/dag"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		cluster, err := dag.GetCluster(ctx, &dag.GetClusterArgs{ClusterName: "demo"})
		if err != nil {
			return err
		}
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
		ctx.Export("table", birds.QualifiedName)
		ctx.Export("rows", eggs.Result.Rows())
		ctx.Export("status", pulumi.String(cluster.Status))
		return nil
	})
}
