/** The columns of TPC-H's tables. */

export interface TpchColumn {
  readonly name: string;
  /** The Hive type as people declare it. */
  readonly type: string;
}

const money = "decimal(15,2)";

/** The columns of each table with their declared types, in the order of the files. */
export const tpchTables: Readonly<Record<string, readonly TpchColumn[]>> = {
  region: columns("r_regionkey bigint, r_name string, r_comment string"),
  nation: columns("n_nationkey bigint, n_name string, n_regionkey bigint, n_comment string"),
  supplier: columns(
    `s_suppkey bigint, s_name string, s_address string, s_nationkey bigint, s_phone string, s_acctbal ${money},
     s_comment string`,
  ),
  customer: columns(
    `c_custkey bigint, c_name string, c_address string, c_nationkey bigint, c_phone string, c_acctbal ${money},
     c_mktsegment string, c_comment string`,
  ),
  part: columns(
    `p_partkey bigint, p_name string, p_mfgr string, p_brand string, p_type string, p_size int, p_container string,
     p_retailprice ${money}, p_comment string`,
  ),
  partsupp: columns(`ps_partkey bigint, ps_suppkey bigint, ps_availqty int, ps_supplycost ${money}, ps_comment string`),
  orders: columns(
    `o_orderkey bigint, o_custkey bigint, o_orderstatus string, o_totalprice ${money}, o_orderdate date,
     o_orderpriority string, o_clerk string, o_shippriority int, o_comment string`,
  ),
  lineitem: columns(
    `l_orderkey bigint, l_partkey bigint, l_suppkey bigint, l_linenumber int, l_quantity ${money},
     l_extendedprice ${money}, l_discount ${money}, l_tax ${money}, l_returnflag string, l_linestatus string,
     l_shipdate date, l_commitdate date, l_receiptdate date, l_shipinstruct string, l_shipmode string,
     l_comment string`,
  ),
};

function columns(declaration: string): TpchColumn[] {
  return declaration.split(/,\s+/).map((column) => {
    const [name = "", type = ""] = column.trim().split(" ");
    return { name, type };
  });
}
