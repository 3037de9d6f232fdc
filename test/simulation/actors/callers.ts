/** Callers without a deployment: they submit, cancel, list, and restart clusters, whatever others do. */
import { world } from "../world/world";
import type { Oracle } from "../oracle";
import type { Kind } from "../kinds.mts";
import { network } from "./network";
import { clusters } from "./service";

/** A caller that makes some requests, one after another. */
export class Caller {
  isDone = false;
  readonly #random = world().choices;
  readonly #actor;

  constructor(
    number: number,
    private readonly options: { readonly oracle: Oracle; readonly kind: Kind },
  ) {
    this.#actor = world().actor(`caller ${number}`);
    world().after(this.#random.between(0, options.kind === "short" ? 300 : 3000), () => void this.#run(), this.#actor);
  }

  async #run(): Promise<void> {
    const requests = this.options.kind === "short" ? this.#random.between(1, 3) : this.#random.between(2, 8);
    for (let each = 0; each < requests; each += 1) {
      await this.#request();
      const longest = this.#random.pick([5, 300, 5000]);
      await world().call("caller: pause", () => undefined, this.#random.next() * longest);
    }
    this.isDone = true;
  }

  #request(): Promise<void> {
    const random = this.#random;
    const kind = random.next();
    const name = this.options.kind === "long" ? random.pick(Object.keys(clusters)) : "one";
    const ids = [...this.options.oracle.queries.keys()];
    const id = random.chance(0.6) ? (ids.at(-1) ?? 1) : (random.pick(ids) ?? 1);
    if (kind < 0.35) {
      const folder = random.pick(["a", "a", "a/b", "b"]);
      const body = {
        clusterName: name,
        query: "SELECT * FROM data.base",
        outputResourcePath: `dag://shared/${folder}/`,
      };
      return this.#send("POST", "/v1/?select", body);
    }
    if (kind < 0.55) {
      const table = random.pick(["t1", "t2"]);
      const body = {
        clusterName: name,
        inputObjectKeys: ["dag://data/base/o.csv"],
        outputDatabase: "shared",
        outputTable: table,
      };
      return this.#send("POST", "/v1/?split", body);
    }
    if (kind < 0.8) return this.#send("DELETE", `/v1/${id}?query`);
    if (kind < 0.9) return this.#send("GET", `/v1/${id}?query`);
    if (kind < 0.95) return this.#send("PUT", `/v1/${name}?clusterManagement`, { force: random.chance(0.5) });
    return this.#send("GET", "/v1/?query&max=2");
  }

  async #send(method: string, path: string, body?: object): Promise<void> {
    world().tell(`sends ${method} ${path}`);
    const text = body === undefined ? null : JSON.stringify(body);
    const outcome = await network().send({ method, path, headers: {}, body: text, headersTimeout: 60_000 });
    if (outcome.kind !== "answer") return world().tell(`gets no answer: ${outcome.kind}`);
    world().tell(`is answered ${outcome.response.statusCode}`);
  }
}
