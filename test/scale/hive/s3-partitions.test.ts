import { partitionsSuite } from "../suites/partitions";

partitionsSuite("hive", "s3");
