import { serviceSuite } from "../suites/service";

serviceSuite("hive", "s3");
