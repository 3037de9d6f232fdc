/**
 * What callers were told of queries: their answers are linearizable, as if each operation happened at one moment between
 * its request and its answer. A query only runs and then ends, so that is true when no answer is behind one that had
 * arrived before its request was sent.
 */
import { world } from "./world/world";

/** What is known of a query; `ended` when it is not known how. */
type Known = "running" | "ended" | "finished" | "canceled" | "error";

export interface ToldRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string | null;
}

/** A query in a record or a list. */
interface ToldQuery {
  readonly id: number;
  readonly status: Known;
  readonly clusterName: string;
}

export class History {
  /** By queries. A list of changes would tell the same: what is known only grows. */
  readonly #known = new Map<number, Known>();
  readonly #clusters = new Map<number, string>();

  /** @param isForgotten returns true for a query whose record was deleted as an old one */
  constructor(private readonly isForgotten: (id: number) => boolean) {}

  /** A request is sent just now. @returns what to call when its answer has arrived */
  sent({ method, path, body }: ToldRequest): (status: number, text: string) => void {
    const before = new Map(this.#known);
    const [, name = ""] = /^\/v1\/([^/?]*)\?/.exec(path) ?? [];
    const id = Number(name);
    if (path.endsWith("?query") && method === "GET") return (status, text) => this.#record(id, before, status, text);
    if (path.endsWith("?query") && method === "DELETE") return (status) => this.#cancel(id, before, status);
    if (path.startsWith("/v1/?query") && method === "GET") return (status, text) => this.#list(before, status, text);
    if (path.endsWith("?clusterManagement") && method === "PUT") return (status) => this.#restart(name, before, status);
    if (path === "/v1/?select" || path === "/v1/?split") {
      return (status, text) => {
        if (status !== 202) return;
        const { queryId } = JSON.parse(text) as { readonly queryId: number };
        this.#clusters.set(queryId, (JSON.parse(body!) as { readonly clusterName: string }).clusterName);
        this.#told(queryId, "running", new Map());
      };
    }
    return () => undefined;
  }

  #record(id: number, before: ReadonlyMap<number, Known>, status: number, text: string): void {
    if (status === 200) {
      const { status: told, clusterName } = JSON.parse(text) as ToldQuery;
      this.#clusters.set(id, clusterName);
      this.#told(id, told, before);
    } else if (status === 404 && before.has(id) && !this.isForgotten(id)) {
      this.#violate(`query ${id} was ${before.get(id)}, and then does not exist`);
    }
  }

  #cancel(id: number, before: ReadonlyMap<number, Known>, status: number): void {
    // A refusal says that the query has ended, or that its result is being published.
    if (status === 204) this.#told(id, "canceled", before);
  }

  #list(before: ReadonlyMap<number, Known>, status: number, text: string): void {
    if (status !== 200) return;
    const { queries } = JSON.parse(text) as { readonly queries: readonly ToldQuery[] };
    for (const { id, status: told, clusterName } of queries) {
      this.#clusters.set(id, clusterName);
      this.#told(id, told, before);
    }
  }

  #restart(cluster: string, before: ReadonlyMap<number, Known>, status: number): void {
    if (status !== 204) return;
    for (const id of before.keys()) if (this.#clusters.get(id) === cluster) this.#told(id, "ended", before);
  }

  #told(id: number, told: Known, before: ReadonlyMap<number, Known>): void {
    const earlier = before.get(id) ?? "running";
    if (earlier !== "running" && told === "running") this.#violate(`query ${id} was ${earlier}, and then running`);
    const known = this.#known.get(id) ?? "running";
    if (isEnd(known) && isEnd(told) && known !== told) this.#violate(`query ${id} is ${told}, and was ${known}`);
    if (known === "running" || (known === "ended" && isEnd(told))) this.#known.set(id, told);
    else this.#known.set(id, known);
  }

  #violate(what: string): void {
    world().violate("answers are linearizable", what);
  }
}

const isEnd = (status: Known) => status !== "running" && status !== "ended";
