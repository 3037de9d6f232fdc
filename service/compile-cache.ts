/** Keeps the compiled code of the modules that are loaded from here on, for later starts. */
import { enableCompileCache } from "node:module";

enableCompileCache();
