import { testInterruptedFollowing } from "./freshness-interruptions";
import { dynamicFrontEnd } from "./freshness-program";

testInterruptedFollowing(dynamicFrontEnd);
