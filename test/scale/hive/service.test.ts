import { serviceSuite } from "../suites/service";

serviceSuite("hive");
