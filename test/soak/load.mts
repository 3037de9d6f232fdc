/** Sends every kind of request to a service, as several users do at the same time. */
import { call, type Answer, type Service, type ServiceOptions } from "../chaos/service.mts";

export type Clusters = ServiceOptions["clusters"];

/** What was answered. */
interface Counts {
  /** The number of answers by operation and code. */
  readonly answers: Map<string, number>;
  /** Queries that were seen to have ended. */
  ended: number;
  /** Answers that blame the service, and queries that failed. */
  readonly failures: string[];
}

/** A load that runs until its signal aborts. */
export interface Load {
  readonly counts: Counts;
  readonly done: Promise<void>;
}

/** Milliseconds after which a query that has not ended is cancelled. */
const patience = 60_000;

/** Starts three callers for each cluster. */
export function mixedLoad(service: Service, clusters: Clusters, random: () => number, signal: AbortSignal): Load {
  const counts: Counts = { answers: new Map(), ended: 0, failures: [] };
  const callers = clusters.flatMap(({ name }, index) =>
    Array.from({ length: 3 }, (_, number) =>
      new Caller(service, name, `${index}${number}`, random, counts).run(signal),
    ),
  );
  return { counts, done: Promise.all(callers).then(() => undefined) };
}

class Caller {
  readonly #service: Service;
  readonly #cluster: string;
  /** Its outputs and tables have names of their own. */
  readonly #name: string;
  readonly #random: () => number;
  readonly #counts: Counts;
  #serial = 0;

  constructor(service: Service, cluster: string, name: string, random: () => number, counts: Counts) {
    this.#service = service;
    this.#cluster = cluster;
    this.#name = name;
    this.#random = random;
    this.#counts = counts;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#step(signal, this.#random());
      await pause(this.#random() * 100);
    }
  }

  async #step(signal: AbortSignal, choice: number): Promise<void> {
    if (choice < 0.4) return this.#query("small select", signal, "select v, id from data.events where id < 100");
    if (choice < 0.5) return this.#query("large select", signal, "select v, count(*) n from data.big group by v");
    if (choice < 0.6) return this.#splitOnce(signal);
    if (choice < 0.7) return this.#cancelOne();
    if (choice < 0.8) return this.#refused(choice);
    if (choice < 0.88) return void (await this.#call("list", "GET", "/v1/?query&max=100"));
    if (choice < 0.94)
      return void (await this.#call("statistics", "GET", `/v1/${this.#cluster}/statistics?clusterManagement`));
    if (choice < 0.99) {
      const body = { outputLogPath: `dag://out/logs-${this.#name}/` };
      return void (await this.#call("export", "PUT", `/v1/${this.#cluster}/log?clusterManagement`, body));
    }
    await this.#call("restart", "PUT", `/v1/${this.#cluster}?clusterManagement`, { force: true });
  }

  /** Runs a select to its end, and reads its log. */
  async #query(operation: string, signal: AbortSignal, query: string): Promise<void> {
    const id = await this.#select(operation, query);
    if (id === undefined) return;
    await this.#ended(operation, id, signal);
    await this.#call("log", "GET", `/v1/${id}/log?query`);
  }

  async #splitOnce(signal: AbortSignal): Promise<void> {
    const answer = await this.#call("split", "POST", "/v1/?split", {
      clusterName: this.#cluster,
      inputObjectKeys: ["dag://raw/in.csv"],
      outputDatabase: "data",
      outputTable: `t${this.#name}_${(this.#serial += 1)}`,
      schema: "bigint id, string v",
    });
    if (answer?.status === 202) await this.#ended("split", Number(answer.body.queryId), signal);
  }

  async #cancelOne(): Promise<void> {
    const slow = "select count(*) n from data.big a cross join data.big b where a.id + b.id >= 0";
    const id = await this.#select("slow select", slow);
    if (id === undefined) return;
    await pause(this.#random() * 500);
    await this.#call("cancel", "DELETE", `/v1/${id}?query`);
    this.#counts.ended += 1;
  }

  async #refused(choice: number): Promise<void> {
    const statements = ["select from where", "select nothing from data.events", "select * from data.missing"];
    const statement = statements[Math.floor(choice * 1000) % statements.length]!;
    await this.#select("refused select", statement);
  }

  async #select(operation: string, query: string): Promise<number | undefined> {
    const answer = await this.#call(operation, "POST", "/v1/?select", {
      clusterName: this.#cluster,
      query,
      outputResourcePath: `dag://out/r${this.#name}/`,
    });
    return answer?.status === 202 ? Number(answer.body.queryId) : undefined;
  }

  /** Waits for the end of a query. It may be cancelled by a restart of the cluster, but must not fail. */
  async #ended(operation: string, id: number, signal: AbortSignal): Promise<void> {
    for (const end = Date.now() + patience; ; await pause(50)) {
      const status = (await call(this.#service, "GET", `/v1/${id}?query`))?.body.status;
      if (status === "error") this.#counts.failures.push(`${operation}: query ${id} ended as error`);
      if (status !== "running") break;
      if (signal.aborted || Date.now() > end) await this.#call("cancel", "DELETE", `/v1/${id}?query`);
    }
    this.#counts.ended += 1;
  }

  async #call(operation: string, method: string, target: string, body?: object): Promise<Answer | undefined> {
    const answer = await call(this.#service, method, target, body);
    const { answers, failures } = this.#counts;
    const outcome = answer === undefined ? "no answer" : answer.status < 300 ? answer.status : String(answer.body.code);
    const key = `${operation} ${outcome}`;
    answers.set(key, (answers.get(key) ?? 0) + 1);
    const isMistaken = answer?.body.code === "InvalidDMLStatement" && operation !== "refused select";
    if (answer === undefined || answer.status === 500 || isMistaken) {
      failures.push(`${key}: ${String(answer?.body.message ?? "the connection broke")}`);
    }
    return answer;
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
