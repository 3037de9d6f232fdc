/// <reference lib="dom" />
/** A service with data and a browser that looks at it. */
import type { TestService } from "dag-service/testing";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { objects as testObjects, startWithData } from "../../contract/service/fixture";
import { browserPath, launchBrowser } from "./chromium.mts";

/** True when there is no browser. */
export const noBrowser = browserPath === undefined;

const objects = {
  ...testObjects,
  "dag://sales/orders/dt=2026-01-01/part-0.csv": "id,customer,amount\n1,ada,7.50\n2,grace,14.25\n",
  "dag://sales/orders/dt=2026-01-02/part-0.csv": "id,customer,amount\n3,edsger,21.00\n",
};

const views = [
  {
    database: "sales",
    view: "totals",
    query: "SELECT customer, sum(amount) AS total FROM sales.orders GROUP BY customer",
  },
];

interface OpenOptions extends BrowserContextOptions {
  /** Path and query of the page. @default "/console/" */
  readonly path?: string;
  /** False to stay on the sign-in page. @default true */
  readonly signedIn?: boolean;
  /** Runs before the page loads. */
  readonly before?: (context: BrowserContext) => Promise<void>;
  /** The service whose page is opened. @default that of the fixture */
  readonly service?: Pick<TestService, "url">;
  /** The key pair that the tab keeps. @default that of the fixture's service */
  readonly credentials?: Credentials;
}

type Credentials = TestService["credentials"];

/** A page, and what went wrong on it. */
export interface Opened {
  readonly page: Page;
  /** Errors of scripts, messages of the console of the kind error or warning, violations of the policy. */
  readonly problems: string[];
  /** Every request of the page. */
  readonly requests: { readonly url: string; readonly text: string }[];
}

export interface ConsoleFixture {
  readonly service: TestService;
  /** Opens a page, which is closed after the test. */
  open(options?: OpenOptions): Promise<Opened>;
  /** Opens a page, which is closed with the browser after the file's tests. */
  openKept(options?: OpenOptions): Promise<Opened>;
}

/** Skips the tests of a file when there is no browser. */
export function requireBrowser(): void {
  beforeEach(({ skip }) => skip(noBrowser, "there is no Chromium"));
}

/** Starts the service and the browser before the tests of a file. */
export function useConsole(): ConsoleFixture {
  let service: TestService | undefined;
  let browser: Browser | undefined;
  const contexts: BrowserContext[] = [];
  requireBrowser();
  beforeAll(async () => {
    if (noBrowser) return;
    [service, browser] = await Promise.all([startWithData({ objects, views }), launchBrowser()]);
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });
  const openKept = (options: OpenOptions = {}) =>
    openPage(browser!, options.service ?? service!, options.credentials ?? service!.credentials, options);
  return {
    get service() {
      return service!;
    },
    openKept,
    async open(options) {
      const opened = await openKept(options);
      contexts.push(opened.page.context());
      return opened;
    },
  };
}

/** Opens a page of the console of a service. */
async function openPage(
  browser: Browser,
  { url }: Pick<TestService, "url">,
  credentials: Credentials,
  { path = "/console/", signedIn = true, before, ...context }: OpenOptions = {},
): Promise<Opened> {
  const opened = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...context });
  const problems: string[] = [];
  const requests: Opened["requests"] = [];
  await opened.addInitScript(watch);
  if (signedIn) {
    const endpoint = new URL(path, url).searchParams.get("endpoint") ?? url;
    await opened.addInitScript(({ key, value }) => sessionStorage.setItem(key, value), {
      key: `dag-console ${endpoint}`,
      value: JSON.stringify({ accessKeyId: credentials.accessKeyId, secret: credentials.secretAccessKey }),
    });
  }
  await before?.(opened);
  const page = await opened.newPage();
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => problems.push(`script error: ${error.message}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`${message.text()} ${message.location().url}`);
  });
  page.on("request", (request) =>
    requests.push({
      url: request.url(),
      text: `${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ""}`,
    }),
  );
  await page.goto(url + path);
  return { page, problems, requests };
}

/** Runs in the page before its scripts: reports violations of the policy, and sums up what moves. */
function watch(): void {
  document.addEventListener("securitypolicyviolation", (event) =>
    console.error(`policy violation: ${event.violatedDirective} ${event.blockedURI}`),
  );
  const sums = Object.assign(globalThis, { layoutShift: 0 });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) sums.layoutShift += (entry as unknown as { value: number }).value;
  }).observe({ type: "layout-shift", buffered: true });
}

/** The layout shift of the page so far, as browsers measure it (CLS); 0 when nothing has moved. */
export function layoutShift({ page }: Opened): Promise<number> {
  return page.evaluate(() => (globalThis as unknown as { layoutShift: number }).layoutShift);
}

/** Checks that nothing went wrong on the page. */
export function expectNoProblems({ problems }: Opened): void {
  expect(problems).toEqual([]);
}
