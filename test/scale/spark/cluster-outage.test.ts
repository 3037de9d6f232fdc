import { clusterOutageSuite } from "../suites/outage";

clusterOutageSuite("spark");
