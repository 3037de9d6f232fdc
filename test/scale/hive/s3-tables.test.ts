import { describe } from "vitest";
import { parquetSuite } from "../suites/parquet";
import { partitionsSuite } from "../suites/partitions";

describe("partition folders", () => void partitionsSuite("hive", "s3"));
describe("Parquet", () => void parquetSuite("hive", "s3"));
