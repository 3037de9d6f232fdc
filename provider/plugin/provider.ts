/** The plugin's provider: its configuration, its functions and, once it is configured, its resources. */
import { status } from "@grpc/grpc-js";
import { readFile } from "node:fs/promises";
import * as z from "zod";
import { engineLog, type PulumiLog } from "../pulumi-engine/pulumi-log";
import { openRuntime, type Runtime } from "../pulumi-engine/runtime";
import { problems } from "../../contract";
import { functionOf, hasUnknown, unknown, type CheckFailure } from "../lifecycles";
import { readConfiguration, servesProvider } from "../lifecycles/configuration";
import { checkConfiguration, diffConfiguration, lookupIn, secretKeys } from "./provider-configuration";
import type { Difference } from "./differences";
import { ProtocolError } from "./errors";
import type { ResponseValues } from "./resource-state";
import { Resources } from "./resources";
import type { Unwrapped, Values } from "./struct-values";

/** Options of the provider. */
export interface ProviderOptions {
  /** Version of the package. */
  readonly version: string;
  /** Path of schema.json. */
  readonly schemaFile: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The provider of one plugin process. The engine starts one process per configuration. */
export class Provider {
  readonly version: string;
  readonly #options: ProviderOptions;
  #engineAddress: string | undefined;
  #log: PulumiLog = engineLog(undefined);
  #configured: { readonly runtime: Runtime; readonly resources: Resources } | undefined;
  #interruption = new AbortController();

  constructor(options: ProviderOptions) {
    this.#options = options;
    this.version = options.version;
  }

  /** Sets the address at which the engine receives log messages. */
  attach(engineAddress: string): void {
    if (engineAddress === "" || engineAddress === this.#engineAddress) return;
    this.#engineAddress = engineAddress;
    this.#log = engineLog(engineAddress);
  }

  /** Returns the text of schema.json. */
  schema(): Promise<string> {
    return readFile(this.#options.schemaFile, "utf8");
  }

  /** Checks the configuration and marks the secret keys as secret. @param urn of the provider resource. */
  checkConfig(
    urn: string,
    { values, secrets }: Unwrapped,
  ): ResponseValues & { readonly failures: readonly CheckFailure[] } {
    servesProvider(urn);
    const failures = checkConfiguration(values, this.#options.environment, secrets);
    return { values, secrets: new Set([...secrets, ...secretKeys]), failures };
  }

  /** Compares two configurations. No difference replaces resources. */
  diffConfig(olds: Unwrapped, news: Unwrapped): Difference {
    return diffConfiguration(olds.values, news.values);
  }

  /** Applies a configuration, which replaces an earlier one. @param urn of the provider resource, if the engine tells it. */
  async configure(urn: string | undefined, { values }: Unwrapped): Promise<void> {
    servesProvider(urn);
    const configuration = readConfiguration(lookupIn(values), this.#options.environment);
    const runtime = openRuntime(configuration, this.#log);
    this.#interruption = new AbortController();
    this.#configured = { runtime, resources: new Resources(runtime, this.#interruption.signal) };
    return Promise.resolve();
  }

  /** The resource operations. Throws ProtocolError before the provider is configured. */
  get resources(): Resources {
    return this.#ready().resources;
  }

  /** Calls a function, named `dag:index:<name>`. With a secret argument, all results are secret. */
  async invoke(
    token: string,
    { values, secrets }: Unwrapped,
  ): Promise<ResponseValues & { readonly failures: readonly CheckFailure[] }> {
    const found = token.startsWith("dag:index:") ? functionOf(token.slice("dag:index:".length)) : undefined;
    if (!found) throw new ProtocolError(status.UNIMPLEMENTED, `the provider dag has no function "${token}"`);
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
    const failures = argumentFailures(found.args, given, secrets);
    if (failures.length > 0) return { values: {}, secrets: new Set(), failures };
    const respond = (results: object) => ({
      values: results,
      secrets: new Set(secrets.size > 0 ? Object.keys(results) : []),
      failures,
    });
    if (hasUnknown(given)) return respond(Object.fromEntries(found.results.map((name) => [name, unknown])));
    const answer = await found.call(this.#ready().runtime.client, given, { signal: this.#interruption.signal });
    return respond(answer);
  }

  /** Aborts all waits. Unfinished resources are returned with their id, so that the next run continues the wait. */
  cancel(): void {
    this.#interruption.abort(new Error("the operation was interrupted"));
  }

  /** Prints what the run did with the queries of the program. Resolves when the engine has the lines. */
  async printReport(): Promise<void> {
    const { run, log } = this.#configured?.runtime ?? {};
    await log?.messages("info", run?.report.lines() ?? []);
  }

  #ready() {
    if (!this.#configured) throw new ProtocolError(status.FAILED_PRECONDITION, "the provider dag is not configured");
    return this.#configured;
  }
}

/** Returns the problems of a function's arguments. Unknown values pass; messages do not quote secret values. */
function argumentFailures(args: z.ZodObject, given: Values, secrets: ReadonlySet<string>): CheckFailure[] {
  const unknownNames = new Set(Object.keys(given).filter((name) => hasUnknown(given[name])));
  const withoutUnknowns = (values: Values) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => !unknownNames.has(name)));
  return problems(z.strictObject(withoutUnknowns(args.shape) as z.ZodRawShape), withoutUnknowns(given)).map(
    ({ field, message }) => ({
      property: field,
      reason: secrets.has(field)
        ? `${field} is not valid; the reason is not shown, because the value is secret`
        : message,
    }),
  );
}
