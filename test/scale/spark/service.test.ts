import { serviceSuite } from "../suites/service";

serviceSuite("spark");
