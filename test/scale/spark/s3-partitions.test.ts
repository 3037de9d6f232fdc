import { partitionsSuite } from "../suites/partitions";

partitionsSuite("spark", "s3");
