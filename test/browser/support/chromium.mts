/** Finds the browser of the tests. Without one they are skipped, and the reason is printed. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium, type Browser } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const elsewhere = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];

/** Path of the browser; undefined when the machine has none. */
export const browserPath = findBrowser();

if (browserPath === undefined) {
  console.log(
    "The browser tests are skipped: there is no Chromium. Install one (Debian: apt-get install chromium), or set CHROMIUM to its path.",
  );
}

/** Starts the browser. Only root needs to leave its sandbox. */
export function launchBrowser(flags: readonly string[] = []): Promise<Browser> {
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath: browserPath!, args: [...sandbox, ...flags] });
}

function findBrowser(): string | undefined {
  const { CHROMIUM: named, PATH = "" } = process.env;
  const folders = PATH.split(delimiter);
  const candidates = named
    ? [named]
    : [...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...elsewhere];
  return candidates.find((path) => existsSync(path));
}
