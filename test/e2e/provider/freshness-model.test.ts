import { testModel } from "./freshness-model";
import { dynamicFrontEnd } from "./freshness-program";

testModel(dynamicFrontEnd, 30);
