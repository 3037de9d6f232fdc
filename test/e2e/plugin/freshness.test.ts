import { testTables } from "../provider/freshness-cases";
import { pluginFrontEnd } from "../provider/freshness-program";

testTables(pluginFrontEnd);
