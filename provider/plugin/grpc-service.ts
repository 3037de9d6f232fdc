/** The gRPC service of the resource provider: decodes requests, calls the provider and encodes responses. */
import { status, type sendUnaryData, type ServerUnaryCall, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { CheckFailure } from "../lifecycles";
import { diffResponse } from "./differences";
import { ProtocolError, toServiceError } from "./errors";
import type { Provider } from "./provider";
import { unwrap, wrap } from "./struct-values";

/**
 * Returns the supported operations. gRPC answers the others (components, parameters, mappings, lists) with
 * UNIMPLEMENTED, which the engine understands.
 */
export function providerService(provider: Provider): UntypedServiceImplementation {
  return {
    handshake: unaryHandler(async ({ request }: Call<proto.ProviderHandshakeRequest>) => {
      provider.attach(request.getEngineAddress());
      const response = new proto.ProviderHandshakeResponse();
      response.setAcceptSecrets(true);
      response.setSupportsAutonamingConfiguration(true);
      return response;
    }),

    attach: unaryHandler(async ({ request }: Call<{ getAddress(): string }>) => {
      provider.attach(request.getAddress());
      return new Empty();
    }),

    getPluginInfo: unaryHandler(async () => {
      const response = new PluginInfo();
      response.setVersion(provider.version);
      return response;
    }),

    getSchema: unaryHandler(async ({ request }: Call<proto.GetSchemaRequest>) => {
      if (request.getVersion() !== 0) {
        throw new ProtocolError(
          status.INVALID_ARGUMENT,
          `schema version ${request.getVersion()} is not supported; the supported version is 0`,
        );
      }
      const response = new proto.GetSchemaResponse();
      response.setSchema(await provider.schema());
      return response;
    }),

    checkConfig: unaryHandler(async ({ request }: Call<proto.CheckRequest>) => {
      const { values, secrets, failures } = provider.checkConfig(request.getUrn(), unwrap(request.getNews()));
      return checkResponse(wrap(values, secrets), failures);
    }),

    diffConfig: unaryHandler(async ({ request }: Call<proto.DiffRequest>) => {
      const olds = unwrap(request.getOldInputs() ?? request.getOlds());
      return diffResponse(provider.diffConfig(olds, unwrap(request.getNews())));
    }),

    configure: unaryHandler(async ({ request }: Call<proto.ConfigureRequest>) => {
      await provider.configure(request.getUrn(), unwrap(request.getArgs()));
      const response = new proto.ConfigureResponse();
      response.setAcceptsecrets(true);
      response.setSupportspreview(true);
      response.setSupportsAutonamingConfiguration(true);
      return response;
    }),

    check: unaryHandler(async ({ request }: Call<proto.CheckRequest>) => {
      const found = await provider.resources.check(
        { urn: request.getUrn() },
        unwrap(request.getOlds()),
        unwrap(request.getNews()),
        { randomSeed: request.getRandomseed_asU8(), autonaming: autonamingOf(request) },
      );
      return checkResponse(wrap(found.values, found.secrets), found.failures);
    }),

    diff: unaryHandler(async ({ request }: Call<proto.DiffRequest>) => {
      const old = existingResource(request, request.getOlds());
      const diff = await provider.resources.diff(old, unwrap(request.getNews()), request.getIgnorechangesList());
      return diffResponse(diff);
    }),

    create: unaryHandler(async ({ request }: Call<proto.CreateRequest>) => {
      const subject = { urn: request.getUrn(), timeout: timeoutOf(request) };
      const inputs = unwrap(request.getProperties());
      const response = new proto.CreateResponse();
      if (request.getPreview()) {
        const { values, secrets } = provider.resources.previewCreate(subject, inputs);
        response.setProperties(wrap(values, secrets));
        return response;
      }
      const { id, values, secrets } = await provider.resources.create(subject, inputs);
      response.setId(id);
      response.setProperties(wrap(values, secrets));
      return response;
    }),

    read: unaryHandler(async ({ request }: Call<proto.ReadRequest>) => {
      const found = await provider.resources.read({
        ...existingResource(request, request.getProperties()),
        inputs: unwrap(request.getInputs()),
      });
      const response = new proto.ReadResponse();
      if (!found) return response;
      response.setId(found.id);
      response.setProperties(wrap(found.values, found.secrets));
      response.setInputs(wrap(found.inputs.values, found.inputs.secrets));
      return response;
    }),

    update: unaryHandler(async ({ request }: Call<proto.UpdateRequest>) => {
      const old = existingResource(request, request.getOlds());
      const news = unwrap(request.getNews());
      const { values, secrets } = request.getPreview()
        ? provider.resources.previewUpdate(old, news)
        : await provider.resources.update(old, news);
      const response = new proto.UpdateResponse();
      response.setProperties(wrap(values, secrets));
      return response;
    }),

    delete: unaryHandler(async ({ request }: Call<proto.DeleteRequest>) => {
      await provider.resources.delete(existingResource(request, request.getProperties()));
      return new Empty();
    }),

    invoke: unaryHandler(async ({ request }: Call<proto.InvokeRequest>) => {
      const { values, secrets, failures } = await provider.invoke(request.getTok(), unwrap(request.getArgs()));
      const response = new proto.InvokeResponse();
      response.setReturn(wrap(values, secrets));
      response.setFailuresList(failures.map(failureMessage));
      return response;
    }),

    cancel: unaryHandler(async () => {
      provider.cancel();
      return new Empty();
    }),
  };
}

type Call<Request> = ServerUnaryCall<Request, unknown>;

/** A request for an existing resource. */
interface ExistingRequest {
  getUrn(): string;
  getId(): string;
  getOldInputs?(): Struct | undefined;
  getTimeout?(): number;
}

function existingResource(request: ExistingRequest, state: Struct | undefined) {
  return {
    urn: request.getUrn(),
    id: request.getId(),
    timeout: timeoutOf(request),
    inputs: unwrap(request.getOldInputs?.()),
    state: unwrap(state),
  };
}

/** Returns the timeout in milliseconds. The engine sends seconds, and 0 without customTimeouts. */
function timeoutOf(request: { getTimeout?(): number }): number | undefined {
  const seconds = request.getTimeout?.() ?? 0;
  return seconds > 0 ? seconds * 1_000 : undefined;
}

function autonamingOf(request: proto.CheckRequest) {
  const options = request.getAutonaming();
  if (!options) return undefined;
  const { DISABLE, ENFORCE } = proto.CheckRequest.AutonamingOptions.Mode;
  const mode = options.getMode();
  return {
    proposedName: options.getProposedName(),
    mode: mode === DISABLE ? ("disable" as const) : mode === ENFORCE ? ("enforce" as const) : ("propose" as const),
  };
}

function checkResponse(inputs: Struct, failures: readonly CheckFailure[]): proto.CheckResponse {
  const response = new proto.CheckResponse();
  response.setInputs(inputs);
  response.setFailuresList(failures.map(failureMessage));
  return response;
}

function failureMessage({ property, reason }: CheckFailure): proto.CheckFailure {
  const failure = new proto.CheckFailure();
  failure.setProperty(property);
  failure.setReason(reason);
  return failure;
}

function unaryHandler<Request>(operation: (call: Call<Request>) => Promise<unknown>) {
  return async (call: Call<Request>, callback: sendUnaryData<unknown>): Promise<void> => {
    const [error, response] = await operation(call).then(
      (answer) => [null, answer] as const,
      (failure: unknown) => [toServiceError(failure), undefined] as const,
    );
    callback(error, response);
  };
}
