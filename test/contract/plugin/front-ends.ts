/** A common interface to both front ends, so that one test suite covers both. */
import { createRequire } from "node:module";
import { join } from "node:path";
import type { TestService } from "../../../service/testing";
import { PluginProcess, root, urnOf, type Old, type Values } from "./plugin-process";

export type Kind = "SelectQuery" | "SplitTable" | "ClusterRestart" | "ClusterLogExport";

interface CheckedInputs {
  readonly inputs: Values;
  readonly failures: readonly { readonly property: string; readonly reason: string }[];
}

interface Difference {
  readonly changes: boolean;
  readonly replaces: readonly string[];
  readonly deleteBeforeReplace: boolean;
}

/** Operations of a front end on a resource of a type and name. */
export interface FrontEnd extends AsyncDisposable {
  check(kind: Kind, name: string, news: Values, olds?: Values): Promise<CheckedInputs>;
  diff(kind: Kind, name: string, id: string, old: Old, news: Values): Promise<Difference>;
  /** Returns the previewed properties of a new resource. For a dynamic provider, the engine returns the inputs. */
  preview(kind: Kind, name: string, inputs: Values): Promise<Values>;
  create(kind: Kind, name: string, inputs: Values): Promise<{ readonly id: string; readonly properties: Values }>;
  read(kind: Kind, name: string, id: string, old: Old): Promise<(Old & { readonly id: string }) | undefined>;
  update(kind: Kind, name: string, id: string, old: Old, news: Values): Promise<Values>;
  delete(kind: Kind, name: string, id: string, old: Old): Promise<void>;
}

/** Configuration of a front end for a service. */
export function configurationFor(service: TestService): Record<string, string> {
  const { accessKeyId, secretAccessKey } = service.credentials;
  return {
    endpoint: service.url,
    accessKeyId,
    secretAccessKey,
    storage: `file:${service.bucketsDirectory}`,
    pollInterval: "100",
  };
}

/** The plugin in its own process. */
export async function pluginFrontEnd(service: TestService): Promise<FrontEnd> {
  const plugin = await PluginProcess.start();
  await plugin.handshake();
  await plugin.configure(configurationFor(service));
  return {
    async check(kind, name, news, olds) {
      const { inputs, failures } = await plugin.check(urnOf(kind, name), news, olds && { olds });
      const { __gen: _generations, ...visible } = inputs;
      return { inputs: visible, failures };
    },
    diff: (kind, name, id, old, news) => plugin.diff(urnOf(kind, name), id, old, news),
    preview: async (kind, name, inputs) =>
      (await plugin.create(urnOf(kind, name), inputs, { preview: true })).properties,
    create: (kind, name, inputs) => plugin.create(urnOf(kind, name), inputs),
    read: (kind, name, id, old) => plugin.read(urnOf(kind, name), id, old),
    update: (kind, name, id, old, news) => plugin.update(urnOf(kind, name), id, old, news),
    delete: (kind, name, id, old) => plugin.delete(urnOf(kind, name), id, old),
    [Symbol.asyncDispose]: () => plugin[Symbol.asyncDispose](),
  };
}

const load = createRequire(__filename);
const built = <Module>(path: string) => load(join(root, "dist/provider", path)) as Module;

/** The dynamic provider's handlers, with the inputs that its classes add. */
export async function dynamicFrontEnd(service: TestService): Promise<FrontEnd> {
  const { createProvider } =
    built<typeof import("../../../provider/dynamic/dynamic-provider")>("dynamic/dynamic-provider.js");
  const { metadataKey, packMetadata, providerKey, resourceType } =
    built<typeof import("../../../provider/dynamic/resource-metadata")>("dynamic/resource-metadata.js");
  const { lifecycleOf } = built<typeof import("../../../provider/lifecycles")>("lifecycles/index.js");
  const { provider } = createProvider({ environment: {}, engineAddress: undefined });
  const values = configurationFor(service);
  await provider.configure({ config: { get: (key: string) => values[key.replace("dag:", "")] } } as never);
  const { providerCode } = built<typeof import("../../../provider/dynamic/provider-code")>("dynamic/provider-code.js");
  const metadata = (kind: Kind, name: string) => ({
    [metadataKey]: packMetadata({ urn: `urn:pulumi:dev::contract::${resourceType(kind)}::${name}` }),
    [providerKey]: providerCode,
  });
  const withoutMetadata = ({ [metadataKey]: _metadata, [providerKey]: _provider, ...rest }: Values) => rest;
  /** The resource classes set the outputs that are computed from the inputs. */
  const withOutputs = (kind: Kind, properties: Values) => ({
    ...lifecycleOf(kind)!.outputsFromInputs(properties),
    ...withoutMetadata(properties),
  });
  const stored = (kind: Kind, name: string, { properties }: Old) => ({ ...properties, ...metadata(kind, name) });
  return {
    async check(kind, name, news, olds = {}) {
      const { inputs, failures } = await provider.check(olds, { ...news, ...metadata(kind, name) });
      return { inputs: withoutMetadata(inputs!), failures: failures ?? [] };
    },
    async diff(kind, name, id, old, news) {
      const found = await provider.diff(id, stored(kind, name, old), { ...news, ...metadata(kind, name) });
      const { changes = false, replaces = [], deleteBeforeReplace = false } = found;
      return { changes, replaces, deleteBeforeReplace };
    },
    preview: async (kind, _name, inputs) => withOutputs(kind, inputs),
    async create(kind, name, inputs) {
      const { id, outs } = await provider.create({ ...inputs, ...metadata(kind, name) });
      return { id, properties: withOutputs(kind, outs!) };
    },
    async read(kind, name, id, old) {
      const found = await provider.read(id, stored(kind, name, old));
      if (!found.id) return undefined;
      return {
        id: found.id,
        properties: withOutputs(kind, found.props!),
        inputs: withoutMetadata(found.inputs ?? old.inputs),
      };
    },
    async update(kind, name, id, old, news) {
      const { outs } = await provider.update(id, stored(kind, name, old), { ...news, ...metadata(kind, name) });
      return withOutputs(kind, outs!);
    },
    delete: (kind, name, id, old) => provider.delete(id, stored(kind, name, old)),
    async [Symbol.asyncDispose]() {},
  };
}
