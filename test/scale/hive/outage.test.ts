import { outageSuite } from "../suites/outage";

outageSuite("hive");
