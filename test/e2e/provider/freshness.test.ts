import { testTables } from "./freshness-cases";
import { testExpectations, testInputs } from "./freshness-inputs";
import { dynamicFrontEnd } from "./freshness-program";

testTables(dynamicFrontEnd);
testInputs(dynamicFrontEnd);
testExpectations(dynamicFrontEnd);
