import { clusterOutageSuite } from "../suites/outage";

clusterOutageSuite("hive");
