/** Runs the plugin in its own process and calls it over gRPC, with plain JavaScript values. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { credentials, type ServiceError } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";

export type Values = Readonly<Record<string, unknown>>;

export const root = join(__dirname, "../../..");

/** The engine's marker for an unknown string. */
export const unknownText = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Returns a value marked as a secret. */
export const secret = (value: unknown) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});

/** Content of an ErrorResourceInitFailed. */
export interface InitFailed {
  readonly id: string;
  readonly properties: Values;
  readonly inputs: Values;
  readonly reasons: readonly string[];
}

type Unary = (request: unknown, callback: (error: ServiceError | null, response: unknown) => void) => unknown;

/** A running plugin. */
export class PluginProcess implements AsyncDisposable {
  /** Output to stdout after the port, and to stderr. */
  noise = "";
  readonly #client: ResourceProviderClient;

  private constructor(
    readonly child: ChildProcess,
    readonly port: number,
  ) {
    this.#client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
  }

  /** Starts the executable, or another command that runs the plugin. */
  static async start(
    environment: Readonly<Record<string, string>> = {},
    command: readonly [string, ...string[]] = [process.execPath, join(root, "bin/pulumi-resource-dag")],
  ): Promise<PluginProcess> {
    const [program, ...args] = command;
    const child = spawn(program, args, {
      env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...environment },
    });
    let text = "";
    const port = await new Promise<number>((resolve, reject) => {
      const failed = (code: unknown) => reject(new Error(`the plugin ended with ${String(code)}: ${text}`));
      child.once("error", reject).once("exit", failed);
      child.stderr!.on("data", (chunk) => (text += String(chunk)));
      child.stdout!.once("data", (chunk) => resolve(Number(String(chunk).trim())));
    });
    const plugin = new PluginProcess(child, port);
    plugin.noise = text;
    for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (chunk) => (plugin.noise += String(chunk)));
    return plugin;
  }

  handshake(engineAddress = ""): Promise<proto.ProviderHandshakeResponse> {
    const request = new proto.ProviderHandshakeRequest();
    request.setEngineAddress(engineAddress);
    return this.call("handshake", request);
  }

  async schema(): Promise<string> {
    return (await this.call<proto.GetSchemaResponse>("getSchema", new proto.GetSchemaRequest())).getSchema();
  }

  async checkConfig(news: Values) {
    const request = new proto.CheckRequest();
    request.setUrn(providerUrn);
    request.setNews(struct(news));
    return checked(await this.call("checkConfig", request));
  }

  async diffConfig(olds: Values, news: Values) {
    const request = new proto.DiffRequest();
    request.setUrn(providerUrn);
    request.setOldInputs(struct(olds));
    request.setNews(struct(news));
    return compared(await this.call("diffConfig", request));
  }

  configure(values: Values): Promise<proto.ConfigureResponse> {
    const request = new proto.ConfigureRequest();
    request.setArgs(struct(values));
    request.setAcceptsecrets(true);
    return this.call("configure", request);
  }

  async check(urn: string, news: Values, options: CheckOptions = {}) {
    const request = new proto.CheckRequest();
    request.setUrn(urn);
    request.setNews(struct(news));
    request.setOlds(struct(options.olds ?? {}));
    request.setRandomseed(options.randomSeed ?? new Uint8Array());
    if (options.autonaming) {
      const autonaming = new proto.CheckRequest.AutonamingOptions();
      autonaming.setProposedName(options.autonaming.proposedName);
      autonaming.setMode(proto.CheckRequest.AutonamingOptions.Mode[options.autonaming.mode]);
      request.setAutonaming(autonaming);
    }
    return checked(await this.call("check", request));
  }

  async diff(urn: string, id: string, olds: Old, news: Values, ignored: readonly string[] = []) {
    const request = new proto.DiffRequest();
    request.setIgnorechangesList([...ignored]);
    request.setUrn(urn);
    request.setId(id);
    request.setOlds(struct(olds.properties));
    request.setOldInputs(struct(olds.inputs));
    request.setNews(struct(news));
    return compared(await this.call("diff", request));
  }

  async create(urn: string, inputs: Values, options: { readonly preview?: boolean; readonly seconds?: number } = {}) {
    const request = new proto.CreateRequest();
    request.setUrn(urn);
    request.setProperties(struct(inputs));
    request.setPreview(options.preview ?? false);
    request.setTimeout(options.seconds ?? 0);
    const response = await this.call<proto.CreateResponse>("create", request);
    return { id: response.getId(), properties: plain(response.getProperties()) };
  }

  async read(urn: string, id: string, old?: Old) {
    const request = new proto.ReadRequest();
    request.setUrn(urn);
    request.setId(id);
    if (old) request.setInputs(struct(old.inputs));
    request.setProperties(struct(old?.properties ?? {}));
    const response = await this.call<proto.ReadResponse>("read", request);
    if (response.getId() === "") return undefined;
    return { id: response.getId(), properties: plain(response.getProperties()), inputs: plain(response.getInputs()) };
  }

  async update(urn: string, id: string, old: Old, news: Values, options: { readonly preview?: boolean } = {}) {
    const request = new proto.UpdateRequest();
    request.setUrn(urn);
    request.setId(id);
    request.setOlds(struct(old.properties));
    request.setOldInputs(struct(old.inputs));
    request.setNews(struct(news));
    request.setPreview(options.preview ?? false);
    return plain((await this.call<proto.UpdateResponse>("update", request)).getProperties());
  }

  async delete(urn: string, id: string, old: Old): Promise<void> {
    const request = new proto.DeleteRequest();
    request.setUrn(urn);
    request.setId(id);
    request.setProperties(struct(old.properties));
    request.setOldInputs(struct(old.inputs));
    await this.call("delete", request);
  }

  async invoke(token: string, args: Values) {
    const request = new proto.InvokeRequest();
    request.setTok(token);
    request.setArgs(struct(args));
    const response = await this.call<proto.InvokeResponse>("invoke", request);
    return { values: plain(response.getReturn()), failures: failuresOf(response.getFailuresList()) };
  }

  async cancel(): Promise<void> {
    await this.call("cancel", new Empty());
  }

  /** Calls a gRPC operation by name. */
  call<Response>(operation: keyof ResourceProviderClient, request: unknown): Promise<Response> {
    const method = (this.#client[operation] as Unary).bind(this.#client);
    return new Promise((resolve, reject) => {
      method(request, (error, response) => (error ? reject(error) : resolve(response as Response)));
    });
  }

  /** Stops the process like the engine; returns the exit code. */
  async end(signal: NodeJS.Signals = "SIGINT"): Promise<number | null> {
    this.#client.close();
    const { exitCode, signalCode } = this.child;
    if (exitCode !== null || signalCode !== null) return exitCode;
    const ended = once(this.child, "exit") as Promise<[number | null]>;
    this.child.kill(signal);
    const [code] = await ended;
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end("SIGKILL");
  }
}

/** A resource as the engine stores it. */
export interface Old {
  readonly inputs: Values;
  readonly properties: Values;
}

export interface CheckOptions {
  readonly olds?: Values;
  readonly randomSeed?: Uint8Array;
  readonly autonaming?: { readonly proposedName: string; readonly mode: "PROPOSE" | "ENFORCE" | "DISABLE" };
}

/** Returns the URN of a resource in the tests' stack. */
export function urnOf(kind: string, name: string): string {
  return `urn:pulumi:dev::contract::dag:index:${kind}::${name}`;
}

/** Returns the content of an ErrorResourceInitFailed; throws for any other error. */
export function initFailed(error: unknown): InitFailed {
  const [bytes] = (error as ServiceError).metadata.get("grpc-status-details-bin");
  if (bytes === undefined) throw error;
  const [any] = Status.deserializeBinary(bytes as Buffer).getDetailsList();
  const detail = proto.ErrorResourceInitFailed.deserializeBinary(any!.getValue_asU8());
  return {
    id: detail.getId(),
    properties: plain(detail.getProperties()),
    inputs: plain(detail.getInputs()),
    reasons: detail.getReasonsList(),
  };
}

/** Configuration of a service that does not run, for tests that send no requests. */
export const configuration = { endpoint: "http://127.0.0.1:9", accessKeyId: "AK", secretAccessKey: secret("hush") };
export const select = { clusterName: "demo", query: "SELECT 1 AS one", outputResourcePath: "dag://results/one/" };
export const table = { clusterName: "demo", inputObjectKeys: ["dag://data/a.csv"], outputDatabase: "tables" };

const providerUrn = "urn:pulumi:dev::contract::pulumi:providers:dag::default";

function struct(values: Values): Struct {
  return Struct.fromJavaScript(values as Parameters<typeof Struct.fromJavaScript>[0]);
}

function plain(values: Struct | undefined): Values {
  return values?.toJavaScript() ?? {};
}

function failuresOf(failures: readonly proto.CheckFailure[]) {
  return failures.map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() }));
}

function checked(response: proto.CheckResponse) {
  return { inputs: plain(response.getInputs()), failures: failuresOf(response.getFailuresList()) };
}

const kindNames = Object.fromEntries(Object.entries(proto.PropertyDiff.Kind).map(([name, kind]) => [kind, name]));

function compared(response: proto.DiffResponse) {
  const detailed = response.getDetaileddiffMap().toArray() as unknown as [string, unknown[]][];
  return {
    changes: response.getChanges() === proto.DiffResponse.DiffChanges.DIFF_SOME,
    replaces: response.getReplacesList(),
    deleteBeforeReplace: response.getDeletebeforereplace(),
    detailedDiff: Object.fromEntries(
      detailed.map(([name]) => [name, kindNames[response.getDetaileddiffMap().get(name)!.getKind()]]),
    ),
  };
}
