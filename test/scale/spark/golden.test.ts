import { goldenSuite } from "../suites/golden";

goldenSuite("spark");
