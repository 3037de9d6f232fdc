/** Sends the same requests over several connections as fast as they are answered, and counts the answers. */
import { connect, type Socket } from "node:net";

export interface Load {
  readonly url: string;
  /** Returns the headers of the next request, which has no body. */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly target: string;
  readonly connections: number;
  readonly seconds: number;
}

/** Answers a second, and the time in milliseconds within which 99 of 100 answers came. */
export interface Throughput {
  readonly perSecond: number;
  readonly p99: number;
}

/** Sends GET requests, each connection the next one when its last one has been answered. @throws Error unless all are answered with 200 */
export async function measureThroughput(load: Load): Promise<Throughput> {
  const until = performance.now() + load.seconds * 1000;
  const times: number[] = [];
  const loops = Array.from({ length: load.connections }, () => requestUntil(load, until, times));
  await Promise.all(loops);
  times.sort((a, b) => a - b);
  return { perSecond: times.length / load.seconds, p99: times[Math.floor(times.length * 0.99)]! };
}

async function requestUntil(load: Load, until: number, times: number[]): Promise<void> {
  const { hostname, port, host } = new URL(load.url);
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  const answers = readAnswers(socket);
  while (performance.now() < until) {
    const headers = Object.entries(load.headers()).map(([name, value]) => `${name}: ${value}\r\n`);
    const started = performance.now();
    socket.write(`GET ${load.target} HTTP/1.1\r\nHost: ${host}\r\n${headers.join("")}\r\n`);
    const { value } = await answers.next();
    if (!value?.startsWith("HTTP/1.1 200 ")) throw new Error(`GET ${load.target} was answered with ${value}`);
    times.push(performance.now() - started);
  }
  socket.destroy();
}

/** Returns the head of each answer when its body, of the length that the head tells or in chunks, is complete. */
async function* readAnswers(socket: Socket): AsyncGenerator<string, undefined> {
  let received: Buffer = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const end = received.indexOf("\r\n\r\n");
    if (end < 0) continue;
    const head = received.toString("latin1", 0, end);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    const complete =
      length === undefined
        ? received.subarray(-5).toString("latin1") === "0\r\n\r\n"
        : received.length >= end + 4 + Number(length);
    if (!complete) continue;
    received = Buffer.alloc(0);
    yield head;
  }
  return undefined;
}
