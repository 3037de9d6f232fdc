import { testInterruptedFollowing } from "./interruptions";
import { dynamicFrontEnd } from "./program";

testInterruptedFollowing(dynamicFrontEnd);
