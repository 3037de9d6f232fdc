import { testTables } from "../provider/freshness/cases";
import { testExpectations, testInputs } from "../provider/freshness/inputs";
import { pluginFrontEnd } from "../provider/freshness/program";

testTables(pluginFrontEnd);
testInputs(pluginFrontEnd);
testExpectations(pluginFrontEnd);
