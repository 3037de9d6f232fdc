import { testModel } from "./model";
import { dynamicFrontEnd } from "./program";

testModel(dynamicFrontEnd, 30);
