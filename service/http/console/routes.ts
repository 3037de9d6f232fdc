/** The console: its page and files, its settings and its sign-in. */
import type { Context, Hono } from "hono";
import { errors, type ConsoleConfig, type Credentials } from "../../../contract";
import { readBody } from "../body";
import type { Env } from "../env";
import { requireControl } from "../loopback";
import { consoleFolder, pageHeaders, readConsoleFiles, type ConsoleFile } from "./files";
import type { SignInLinks } from "./sign-in";

export interface ConsoleOptions {
  readonly links: SignInLinks;
  readonly config: ConsoleConfig;
}

/** Adds `GET /`, `/console/…`, and `POST /console/sign-in`, which needs a token of a sign-in link. */
export function addConsole(app: Hono<Env>, { links, config }: ConsoleOptions): void {
  const files = readConsoleFiles(consoleFolder);
  // Clients of the API must not be redirected: only a browser asks for a page.
  for (const path of ["/", "/console"]) {
    app.get(path, async (c, next) => (asksForPage(c) ? c.redirect(`/console/${queryOf(c)}`, 302) : await next()));
  }
  app.get("/console/config.json", (c) => c.json(config, 200, { "Cache-Control": "no-store" }));
  app.get("/console/*", async (c, next) => {
    if (c.req.path === "/console") return await next();
    const name = c.req.path.slice("/console/".length);
    const file = files.get(name) ?? (/\.\w+$/.test(name) ? undefined : files.get("index.html"));
    if (file) return answerFile(c, file);
    throw new errors.ResourceNotFound(
      files.size === 0 ? "this service was built without its console" : "the console has no such file",
    );
  });
  app.post("/console/sign-in", async (c) => {
    requireControl(c.env.incoming);
    const { accessKeyId, secretAccessKey } = links.redeem(Buffer.from(await readBody(c.env.incoming)).toString("utf8"));
    return c.json({ accessKeyId, secretAccessKey } satisfies Credentials, 200, { "Cache-Control": "no-store" });
  });
}

function answerFile(c: Context<Env>, { type, bytes, gzip, etag, isImmutable }: ConsoleFile): Response {
  const headers: Record<string, string> = {
    "Cache-Control": isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
    ETag: etag,
    Vary: "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
  };
  if (type.startsWith("text/html")) Object.assign(headers, pageHeaders(c.req.query("endpoint")));
  if (c.req.header("if-none-match") === etag) return c.body(null, 304, headers);
  headers["Content-Type"] = type;
  const compressed = takesGzip(c.req.header("accept-encoding")) ? gzip : undefined;
  if (compressed) headers["Content-Encoding"] = "gzip";
  return c.body(new Uint8Array(compressed ?? bytes), 200, headers);
}

/** Returns true when the browser takes gzip: it names it, and not with the quality 0. */
function takesGzip(accepted = ""): boolean {
  return /(?:^|,)\s*gzip\s*(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))(?:[,;]|$)/.test(accepted);
}

function asksForPage(c: Context<Env>): boolean {
  return (c.req.header("accept") ?? "").includes("text/html");
}

function queryOf(c: Context<Env>): string {
  const at = c.req.url.indexOf("?");
  return at < 0 ? "" : c.req.url.slice(at);
}
