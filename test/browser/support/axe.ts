/// <reference lib="dom" />
/** axe looks at a page in every look that it has. */
import axe from "axe-core";
import type { CDPSession, Page } from "playwright-core";

/** A width of the window, and the colours that its user prefers. */
interface Look {
  readonly width: number;
  readonly colorScheme: "light" | "dark";
}

/** From the width of a desk to that of a phone. */
const heights = new Map([
  [1440, 900],
  [900, 800],
  [768, 1024],
  [390, 844],
]);
const desk = 1440;

/** All looks of a page. Those four apart differ in both. */
export const looks: readonly Look[] = [
  ...[1440, 900, 768, 390].map((width) => ({ width, colorScheme: "light" as const })),
  ...[768, 390, 1440, 900].map((width) => ({ width, colorScheme: "dark" as const })),
];

/**
 * Returns the violations of accessibility that axe finds on a page, in each look.
 *
 * @param except selectors of the parts at which axe does not look
 */
export async function axeViolations(
  page: Page,
  chosen: readonly Look[] = looks,
  except: readonly string[] = [],
): Promise<string[]> {
  // The page's policy forbids the script in the page; the debugger may evaluate it.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe.source });
  const found: string[] = [];
  for (const { width, colorScheme } of chosen) {
    await page.setViewportSize({ width, height: heights.get(width)! });
    await page.emulateMedia({ colorScheme });
    await drawn(page);
    await page.evaluate(endTransitions);
    found.push(...(await violations(session, except)).map((violation) => `${colorScheme} ${width}: ${violation}`));
  }
  await page.setViewportSize({ width: desk, height: heights.get(desk)! });
  await session.detach();
  return found;
}

/** Ends what is on its way from the colours of one look to those of the next. */
function endTransitions(): void {
  for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
}

/** Resolves when the page has drawn what has changed. */
export function drawn(page: Page): Promise<void> {
  return page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
}

async function violations(session: CDPSession, except: readonly string[]): Promise<string[]> {
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run({ exclude: ${JSON.stringify(except)} }, { resultTypes: ["violations"] }).then(({ violations }) => JSON.stringify(
      violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ": " + node.html + " " + (node.any[0] ?? node.all[0] ?? node.none[0])?.message))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  return JSON.parse(result.value as string) as string[];
}
