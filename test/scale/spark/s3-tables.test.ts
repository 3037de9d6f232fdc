import { describe } from "vitest";
import { parquetSuite } from "../suites/parquet";
import { partitionsSuite } from "../suites/partitions";

describe("partition folders", () => void partitionsSuite("spark", "s3"));
describe("Parquet", () => void parquetSuite("spark", "s3"));
