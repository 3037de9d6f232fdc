import { testColumns } from "./columns-cases";
import { dynamicFrontEnd } from "./freshness/program";

testColumns(dynamicFrontEnd);
