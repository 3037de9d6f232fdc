import { goldenSuite } from "../suites/golden";

goldenSuite("hive", { place: "s3" });
