/** `dag-service open`: opens the console in the browser. */
import { spawn } from "node:child_process";
import * as z from "zod";
import { printable } from "../../contract";
import { accessOf, call, type AccessOptions } from "./access";

const link = z.object({ path: z.string() });

/** Prints a one-time sign-in link and opens it. Returns the exit code. */
export async function openConsole(options: AccessOptions & { readonly print?: boolean }): Promise<number> {
  const access = accessOf(options);
  const { path } = await call(access, link, "POST", "/console/links");
  const url = access.endpoint + path;
  process.stdout.write(`${printable(url)}\n`);
  if (!options.print) await openBrowser(url);
  return 0;
}

/** Starts the system's browser. A machine without one has the printed link. */
function openBrowser(url: string): Promise<void> {
  const [program, ...args] =
    process.platform === "darwin"
      ? ["open", url]
      : process.platform === "win32"
        ? ["rundll32", "url.dll,FileProtocolHandler", url]
        : ["xdg-open", url];
  return new Promise((resolve) => {
    const child = spawn(program!, args, { stdio: "ignore", detached: true });
    child.once("error", () => {
      process.stderr.write("dag-service: no browser could be started: open the link above\n");
      resolve();
    });
    child.once("spawn", () => {
      child.unref();
      resolve();
    });
  });
}
