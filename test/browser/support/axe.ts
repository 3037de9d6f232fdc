/** axe looks at a page in every look that it has. */
import axe from "axe-core";
import type { CDPSession, Page } from "playwright-core";

const sizes = [
  { width: 1440, height: 900 },
  { width: 900, height: 800 },
  { width: 768, height: 1024 },
  { width: 390, height: 844 },
] as const;

/** Returns the violations of accessibility that axe finds on a page, in light and dark, from the width of a desk to that of a phone. */
export async function axeViolations(page: Page): Promise<string[]> {
  // The page's policy forbids the script in the page; the debugger may evaluate it.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe.source });
  const found: string[] = [];
  for (const size of sizes) {
    await page.setViewportSize(size);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await drawn(page);
      found.push(...(await violations(session)).map((violation) => `${colorScheme} ${size.width}: ${violation}`));
    }
  }
  await page.setViewportSize(sizes[0]);
  await session.detach();
  return found;
}

/** Resolves when the page has drawn what has changed. */
export function drawn(page: Page): Promise<void> {
  return page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
}

async function violations(session: CDPSession): Promise<string[]> {
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => JSON.stringify(
      violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ": " + node.html + " " + (node.any[0] ?? node.all[0] ?? node.none[0])?.message))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  return JSON.parse(result.value as string) as string[];
}
