/** A service with data and a browser that looks at it. */
import { startService, type TestService, type TestServiceOptions } from "dag-service/testing";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { browserPath, launchBrowser } from "./chromium.mts";

/** True when there is no browser. */
export const noBrowser = browserPath === undefined;

/** A statement that runs longer than any test. */
export const slow = "select count(*) n from data.numbers a cross join data.numbers b cross join data.numbers c";

const objects = {
  "dag://data/events/a.csv": "1,x\n2,y\n3,x\n",
  "dag://data/numbers/n.csv": Array.from({ length: 20_000 }, (_, n) => `${n}\n`).join(""),
  "dag://sales/orders/dt=2026-01-01/part-0.csv": "id,customer,amount\n1,ada,7.50\n2,grace,14.25\n",
  "dag://sales/orders/dt=2026-01-02/part-0.csv": "id,customer,amount\n3,edsger,21.00\n",
  "dag://raw/in.csv": "1,a\n2,b\n",
};

const tables = [
  { database: "data", table: "events", format: "csv", schema: "bigint id, string v" },
  { database: "data", table: "numbers", format: "csv", schema: "bigint n" },
] as const;

export interface OpenOptions extends BrowserContextOptions {
  /** Path and query of the page. @default "/console/" */
  readonly path?: string;
  /** False to stay on the sign-in page. @default true */
  readonly signedIn?: boolean;
  /** Runs before the page loads. */
  readonly before?: (context: BrowserContext) => Promise<void>;
}

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
  open(options?: OpenOptions): Promise<Opened>;
}

/** Skips the tests of a file when there is no browser. */
export function requireBrowser(): void {
  beforeEach(({ skip }) => skip(noBrowser, "there is no Chromium"));
}

/** Starts the service and the browser before the tests of a file; closes the pages after each test. */
export function useConsole(options: TestServiceOptions = {}): ConsoleFixture {
  let service: TestService | undefined;
  let browser: Browser | undefined;
  const contexts: BrowserContext[] = [];
  requireBrowser();
  beforeAll(async () => {
    if (noBrowser) return;
    service = await startService({
      clusters: [
        { name: "c1", instances: [{ grade: "small", quantity: 3 }] },
        { name: "c2", instances: [{ grade: "small", quantity: 2 }] },
      ],
      buckets: ["out"],
      objects,
      tables: [...tables],
      ...options,
    });
    browser = await launchBrowser();
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });
  return {
    get service() {
      return service!;
    },
    async open(given) {
      const opened = await openPage(browser!, service!, given);
      contexts.push(opened.page.context());
      return opened;
    },
  };
}

/** Opens a page of the console of a service. */
export async function openPage(
  browser: Browser,
  { url, credentials }: Pick<TestService, "url" | "credentials">,
  { path = "/console/", signedIn = true, before, ...context }: OpenOptions = {},
): Promise<Opened> {
  const opened = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...context });
  const problems: string[] = [];
  const requests: Opened["requests"] = [];
  await opened.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) =>
      console.error(`policy violation: ${event.violatedDirective} ${event.blockedURI}`),
    );
  });
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
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
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

/** Checks that nothing went wrong on the page. */
export function expectNoProblems({ problems }: Opened): void {
  expect(problems).toEqual([]);
}
