/**
 * A signing client of its own, with nothing of pulumi-dag's client in it: what is tested is the service's side of the
 * wire.
 */
import { createHmac } from "node:crypto";
import { request } from "node:http";
import { connect } from "node:net";
import type { TestService } from "dag-service/testing";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests access any JSON of a response
  readonly json: any;
}

export interface CallOptions {
  /** Text and bytes are sent as is, other values as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  readonly secretAccessKey?: string;
  readonly accessKeyId?: string;
  readonly scheme?: string;
  readonly date?: string;
  /** Headers to leave out. */
  readonly without?: readonly string[];
}

export type Target = Pick<TestService, "url" | "credentials">;

/** Sends one signed request. */
export function call(service: Target, method: string, target: string, options: CallOptions = {}): Promise<Answer> {
  const { body, scheme = "IIJGIO", date = new Date().toUTCString(), without = [] } = options;
  const bytes =
    body === undefined
      ? undefined
      : typeof body === "string" || body instanceof Uint8Array
        ? body
        : JSON.stringify(body);
  const contentType = options.contentType ?? (bytes === undefined ? undefined : "application/json");
  const { accessKeyId = service.credentials.accessKeyId, secretAccessKey = service.credentials.secretAccessKey } =
    options;
  const signature = sign(secretAccessKey, method, target, contentType ?? "", date);
  const headers: Record<string, string> = {
    Date: date,
    Authorization: `${scheme} ${accessKeyId}:${signature}`,
    ...(contentType === undefined ? {} : { "Content-Type": contentType }),
    ...(bytes === undefined ? {} : { "Content-Length": String(Buffer.byteLength(bytes)) }),
    ...options.headers,
  };
  for (const name of without) delete headers[name];
  return send(service.url, method, target, headers, bytes);
}

/** Returns the head of a signed request, to be written to a socket. */
export function signedHead(
  { credentials }: Target,
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const date = new Date().toUTCString();
  const signature = sign(credentials.secretAccessKey, method, target, headers["Content-Type"] ?? "", date);
  const all = { Host: "x", Date: date, Authorization: `IIJGIO ${credentials.accessKeyId}:${signature}`, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

function sign(secret: string, method: string, target: string, contentType: string, date: string): string {
  const [path = "", query = ""] = target.split("?");
  const key = ["select", "split", "query", "clusterManagement", "database", "table"].find((name) =>
    query.split("&").includes(name),
  );
  const text = `${method}\n\n${contentType}\n${date}\n${path}${key === undefined ? "" : `?${key}`}`;
  return createHmac("sha1", secret).update(text).digest("base64");
}

export function send(
  url: string,
  method: string,
  target: string,
  headers: Record<string, string>,
  body?: string | Uint8Array,
): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path: target, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode!, headers: response.headers, text, json: asJson(text) });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Writes bytes to a raw socket and returns everything received until the service closes it. */
export function sendRaw(url: string, bytes: string | Uint8Array, timeout = 20_000): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(Buffer.concat(chunks).toString());
    };
    const timer = setTimeout(done, timeout);
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("close", done);
    socket.on("error", done);
  });
}

/** Polls a query until it is no longer running. */
export async function ended(service: Target, queryId: number): Promise<Answer["json"]> {
  for (let wait = 10; ; wait = longer(wait)) {
    const { json } = await call(service, "GET", `/v1/${queryId}?query`);
    if (json.status !== "running") return json;
    await pause(wait);
  }
}

/** Polls a cluster until it has the status. */
export async function hasStatus(service: Target, cluster: string, status: string): Promise<void> {
  for (let wait = 10; ; wait = longer(wait)) {
    const { json } = await call(service, "GET", `/v1/${cluster}?clusterManagement`);
    if (json.status === status) return;
    await pause(wait);
  }
}

/** The next pause of one who waits: many requests a second would take the processor from what is waited for. */
const longer = (milliseconds: number) => Math.min(200, milliseconds * 1.5);

export const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
