/** Keeps the compiled code of the modules that are loaded from here on, for later starts, in a folder of the user. */
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

try {
  // Node's own choice is the system's folder for temporary files, where another user could put code in its place.
  enableCompileCache(join(homedir(), ".cache", "pulumi-dag", "compiled"));
} catch {
  // A user without a home folder, as in some containers, has no cache.
}
