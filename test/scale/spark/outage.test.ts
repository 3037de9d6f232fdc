import { outageSuite } from "../suites/outage";

outageSuite("spark");
