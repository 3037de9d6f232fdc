import { goldenSuite } from "../suites/golden";
import { differing } from "./differing";

goldenSuite("spark", { differing, place: "s3" });
