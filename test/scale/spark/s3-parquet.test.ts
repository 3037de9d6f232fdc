import { parquetSuite } from "../suites/parquet";

parquetSuite("spark", "s3");
