/** The provider as a whole: its configuration, its functions, and the resources that it serves once configured. */
import { status } from "@grpc/grpc-js";
import { readFile } from "node:fs/promises";
import * as z from "zod";
import { engineLog, type EngineLog } from "../pulumi-engine/log";
import { openRuntime, type Runtime } from "../pulumi-engine/runtime";
import { problems } from "../../contract";
import { functionOf, hasUnknown, unknown, type CheckFailure } from "../lifecycles";
import { readConfiguration } from "../lifecycles/configuration";
import { checkConfiguration, diffConfiguration, lookupIn, secretKeys } from "./configuration";
import type { Difference } from "./differences";
import { ProtocolError } from "./errors";
import { Overlaps } from "./overlaps";
import type { Answer } from "./properties";
import { Resources } from "./resources";
import type { Unwrapped, Values } from "./values";

/** What the process gives the provider. */
export interface ProviderOptions {
  /** Version of the package. */
  readonly version: string;
  /** Path of schema.json. */
  readonly schemaFile: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** One process of the plugin; the engine starts one for each configuration. */
export class Provider {
  readonly version: string;
  readonly #options: ProviderOptions;
  #engineAddress: string | undefined;
  #log: EngineLog = engineLog(undefined);
  #configured: { readonly runtime: Runtime; readonly resources: Resources } | undefined;
  #interruption = new AbortController();

  constructor(options: ProviderOptions) {
    this.#options = options;
    this.version = options.version;
  }

  /** Takes the address at which the engine listens for messages. */
  attach(engineAddress: string): void {
    if (engineAddress === "" || engineAddress === this.#engineAddress) return;
    this.#engineAddress = engineAddress;
    this.#log = engineLog(engineAddress);
  }

  /** The text of schema.json. */
  schema(): Promise<string> {
    return readFile(this.#options.schemaFile, "utf8");
  }

  /** Checks the configuration; keys that are secret become so however they were given. */
  checkConfig({ values, secrets }: Unwrapped): Answer & { readonly failures: readonly CheckFailure[] } {
    const failures = checkConfiguration(values, this.#options.environment, secrets);
    return { values, secrets: new Set([...secrets, ...secretKeys]), failures };
  }

  /** Compares two configurations: resources are kept, whatever differs. */
  diffConfig(olds: Unwrapped, news: Unwrapped): Difference {
    return diffConfiguration(olds.values, news.values);
  }

  /** Takes a configuration over, in place of an earlier one. */
  async configure({ values }: Unwrapped): Promise<void> {
    const configuration = readConfiguration(lookupIn(values), this.#options.environment);
    const runtime = openRuntime(configuration, this.#log);
    this.#interruption = new AbortController();
    this.#configured = { runtime, resources: new Resources(runtime, new Overlaps(), this.#interruption.signal) };
    return Promise.resolve();
  }

  /** What serves resources. Throws ProtocolError before the configuration. */
  get resources(): Resources {
    return this.#ready().resources;
  }

  /** Calls a function, named `dag:index:<name>`. What it answers to secret arguments is secret. */
  async invoke(
    token: string,
    { values, secrets }: Unwrapped,
  ): Promise<Answer & { readonly failures: readonly CheckFailure[] }> {
    const found = token.startsWith("dag:index:") ? functionOf(token.slice("dag:index:".length)) : undefined;
    if (!found) throw new ProtocolError(status.UNIMPLEMENTED, `the provider dag has no function "${token}"`);
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
    const failures = argumentFailures(found.args, given, secrets);
    if (failures.length > 0) return { values: {}, secrets: new Set(), failures };
    const answered = (results: object) => ({
      values: results,
      secrets: new Set(secrets.size > 0 ? Object.keys(results) : []),
      failures,
    });
    if (hasUnknown(given)) return answered(Object.fromEntries(found.results.map((name) => [name, unknown])));
    const answer = await found.call(this.#ready().runtime.client, given, { signal: this.#interruption.signal });
    return answered(answer);
  }

  /** Ends every wait: what was submitted is answered with its id, to be waited for another time. */
  cancel(): void {
    this.#interruption.abort(new Error("the operation was interrupted"));
  }

  #ready() {
    if (!this.#configured) throw new ProtocolError(status.FAILED_PRECONDITION, "the provider dag is not configured");
    return this.#configured;
  }
}

/** What is wrong with a function's arguments; what is not known yet passes, and of a secret no value is quoted. */
function argumentFailures(args: z.ZodObject, given: Values, secrets: ReadonlySet<string>): CheckFailure[] {
  const unknowns = new Set(Object.keys(given).filter((name) => hasUnknown(given[name])));
  const left = (values: Values) => Object.fromEntries(Object.entries(values).filter(([name]) => !unknowns.has(name)));
  return problems(z.strictObject(left(args.shape) as z.ZodRawShape), left(given)).map(({ field, message }) => ({
    property: field,
    reason: secrets.has(field) ? `${field} is not valid; why is not shown, since it is secret` : message,
  }));
}
