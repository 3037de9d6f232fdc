/** The built files of the console, served with a strict Content-Security-Policy. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { endpointUrl } from "../../../contract";

/** A file of the console. */
export interface ConsoleFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Compressed, if that makes it smaller. */
  readonly gzip: Buffer | undefined;
  readonly etag: string;
  /** True when the name has a hash of the content, so that a browser may keep the file. */
  readonly isImmutable: boolean;
}

/** Folder of the built files beside the compiled service. */
export const consoleFolder = join(__dirname, "..", "..", "..", "console");

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

/** Reads the files, by their path below the folder; empty when the console was not built. */
export function readConsoleFiles(folder: string): ReadonlyMap<string, ConsoleFile> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
  return new Map(
    names.flatMap((name) => {
      const type = types[extname(name)];
      return type === undefined ? [] : [[name, readConsoleFile(join(folder, name), name, type)]];
    }),
  );
}

function readConsoleFile(path: string, name: string, type: string): ConsoleFile {
  const bytes = readFileSync(path);
  const gzip = gzipSync(bytes);
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
  return {
    type,
    bytes,
    gzip: gzip.length < bytes.length ? gzip : undefined,
    etag,
    isImmutable: name.startsWith("assets/"),
  };
}

/**
 * Returns the headers of a page. Scripts, styles and connections are of this service only, and connections of the one
 * that `?endpoint=` in its address names.
 */
export function pageHeaders(endpoint: string | undefined): Record<string, string> {
  const other = endpointUrl(endpoint)?.origin;
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self'${other === undefined ? "" : ` ${other}`}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    "Content-Security-Policy": policy.join("; "),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
  };
}
