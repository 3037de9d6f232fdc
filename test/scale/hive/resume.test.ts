import { resumeSuite } from "../suites/resume";

resumeSuite();
