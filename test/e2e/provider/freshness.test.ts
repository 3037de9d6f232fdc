import { testTables } from "./freshness-cases";
import { dynamicFrontEnd } from "./freshness-program";

testTables(dynamicFrontEnd);
