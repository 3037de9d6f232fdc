import { testColumns } from "../provider/columns-cases";
import { pluginFrontEnd } from "../provider/freshness/program";

testColumns(pluginFrontEnd);
