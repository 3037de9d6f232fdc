import { testTables } from "./cases";
import { testExpectations, testInputs } from "./inputs";
import { dynamicFrontEnd } from "./program";

testTables(dynamicFrontEnd);
testInputs(dynamicFrontEnd);
testExpectations(dynamicFrontEnd);
