/**
 * Sends requests over several connections as fast as they are answered, from a process of its own, as a client of
 * another machine would.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** One request without a body. */
export interface SignedGet {
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Load {
  readonly url: string;
  /** The requests, each connection takes the next one at random. */
  readonly requests: readonly SignedGet[];
  readonly connections: number;
  readonly seconds: number;
}

/** Answers a second, and the time in milliseconds within which 99 of 100 answers came. */
export interface Throughput {
  readonly perSecond: number;
  readonly p99: number;
}

/** A process that sends requests. */
export interface LoadClient extends AsyncDisposable {
  /** Sends requests, each connection the next one when its last one was answered. @throws Error unless all are answered with 200 */
  measure(load: Load): Promise<Throughput>;
}

/** Starts the process. */
export async function startLoadClient(): Promise<LoadClient> {
  const child = fork(new URL(import.meta.url), ["load"]);
  await once(child, "message");
  return {
    async measure(load) {
      child.send(load);
      const [answer] = (await once(child, "message")) as [Throughput | { readonly failure: string }];
      if ("failure" in answer) throw new Error(answer.failure);
      return answer;
    },
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await once(child, "exit");
    },
  };
}

async function measure({ url, requests, connections, seconds }: Load): Promise<Throughput> {
  const { hostname, port, host } = new URL(url);
  const texts = requests.map(({ target, headers }) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.from(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${lines.join("")}\r\n`);
  });
  const times: number[] = [];
  const until = performance.now() + seconds * 1000;
  const askUntilTheEnd = async () => {
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    const answers = readAnswers(socket);
    while (performance.now() < until) {
      const started = performance.now();
      socket.write(texts[Math.floor(Math.random() * texts.length)]!);
      const { value } = await answers.next();
      if (!value?.startsWith("HTTP/1.1 200 ")) throw new Error(`a request was answered with ${value}`);
      times.push(performance.now() - started);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: connections }, askUntilTheEnd));
  times.sort((a, b) => a - b);
  return { perSecond: times.length / seconds, p99: times[Math.floor(times.length * 0.99)]! };
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

// In the process of its own.
if (process.argv[2] === "load" && process.send) {
  process.on("message", (load: Load) => {
    measure(load).then(
      (answer) => process.send!(answer),
      (error: Error) => process.send!({ failure: error.message }),
    );
  });
  process.once("disconnect", () => process.exit(0));
  process.send("ready");
}
