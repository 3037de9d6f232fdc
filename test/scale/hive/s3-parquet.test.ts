import { parquetSuite } from "../suites/parquet";

parquetSuite("hive", "s3");
