import { testInterruptedFollowing } from "../provider/freshness/interruptions";
import { pluginFrontEnd } from "../provider/freshness/program";

testInterruptedFollowing(pluginFrontEnd);
