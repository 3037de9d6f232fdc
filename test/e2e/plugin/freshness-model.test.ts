import { testModel } from "../provider/freshness/model";
import { pluginFrontEnd } from "../provider/freshness/program";

testModel(pluginFrontEnd, 11);
