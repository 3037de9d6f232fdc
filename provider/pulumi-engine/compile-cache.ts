/**
 * Makes Node keep the compiled code of this process's modules in its cache folder, which later processes use: loading the
 * grammar and the SDK is most of the start of a provider. Import it before all other modules.
 */
import { enableCompileCache } from "node:module";

enableCompileCache();
