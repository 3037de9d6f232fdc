/** `npm run service -- [--config FILE] [--listen HOST:PORT] [--data DIR]`: runs the built service (`dag-service`). */
import { join } from "node:path";
import { runCommand } from "../tools/setup/command.mjs";
import { root } from "../tools/setup/layout.mjs";

const main = join(root, "service/dist/service/main.js");
process.exitCode = await runCommand([process.execPath, main, ...process.argv.slice(2)], []);
