/**
 * Keeps the part of the heap for new objects at the few MiB that it starts with: at rest it is mostly empty. The flag
 * `--max-semi-space-size` does the same, but a shebang cannot give it on every system: Alpine's `env` has no `-S`. The
 * command imports this module first.
 */
import { setFlagsFromString } from "node:v8";

setFlagsFromString("--semi-space-growth-factor=1");
