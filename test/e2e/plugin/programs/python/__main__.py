import pulumi
import pulumi_dag as dag

birds = dag.SplitTable("birds",
    cluster_name="demo",
    input_object_keys=["dag://data/raw/birds.csv"],
    output_database="tables",
    schema="string bird, int eggs",
)
eggs = dag.SelectQuery("eggs",
    cluster_name="demo",
    query=pulumi.Output.concat("SELECT sum(eggs) AS eggs FROM ", birds.qualified_name),
    output_resource_path="dag://results/python/",
    result_rows=10,
)
pulumi.export("table", birds.qualified_name)
pulumi.export("rows", eggs.result.apply(lambda result: result.rows))
pulumi.export("status", dag.get_cluster(cluster_name="demo").status)
