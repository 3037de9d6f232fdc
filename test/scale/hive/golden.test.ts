import { goldenSuite } from "../suites/golden";

goldenSuite("hive");
