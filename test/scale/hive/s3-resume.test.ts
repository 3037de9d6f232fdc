import { resumeSuite } from "../suites/resume";

resumeSuite("s3");
