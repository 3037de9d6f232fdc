/**
 * Makes Node keep the compiled code of this process's modules in a folder of the user, for later processes: loading the
 * grammar and the SDK is most of the start of a provider. Import it before all other modules.
 */
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

try {
  // Node's own choice is the system's folder for temporary files, where another user could put code in its place.
  enableCompileCache(join(homedir(), ".cache", "pulumi-dag", "compiled"));
} catch {
  // A user without a home folder, as in some containers, has no cache.
}
