/** A server that takes OpenLineage events as a catalog does: it refuses what the specification does not allow. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import * as z from "zod";

const uri = z.url();
const facet = z.looseObject({ _producer: uri, _schemaURL: uri });
const facetOf = <Shape extends z.ZodRawShape>(name: string, shape: Shape) =>
  facet.extend({ ...shape, _schemaURL: uri.endsWith(`/${name}.json#/$defs/${name}`) });
const field = z.strictObject({ name: z.string(), type: z.string() });
const job = { namespace: z.string().min(1), name: z.string().min(1) };
const datasetFacets = z.strictObject({ schema: facetOf("SchemaDatasetFacet", { fields: z.array(field) }).optional() });
const dataset = z.strictObject({ ...job, facets: datasetFacets.optional() });
const statistics = facetOf("OutputStatisticsOutputDatasetFacet", { rowCount: z.int() });

/**
 * A run event with the facets that the service sends, written from OpenLineage's specification 2-0-2. Fields that the
 * service does not send are refused, so that a misspelt one is found.
 */
const runEvent = z.strictObject({
  eventType: z.enum(["START", "COMPLETE", "FAIL", "ABORT"]),
  eventTime: z.iso.datetime({ offset: true }),
  producer: uri,
  schemaURL: z.literal("https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"),
  run: z.strictObject({
    runId: z.uuid(),
    facets: z.strictObject({
      parent: facetOf("ParentRunFacet", {
        run: z.strictObject({ runId: z.uuid() }),
        job: z.strictObject(job),
      }).optional(),
      errorMessage: facetOf("ErrorMessageRunFacet", {
        message: z.string(),
        programmingLanguage: z.string(),
      }).optional(),
    }),
  }),
  job: z.strictObject({
    ...job,
    facets: z.strictObject({ sql: facetOf("SQLJobFacet", { query: z.string(), dialect: z.string() }).optional() }),
  }),
  inputs: z.array(dataset),
  outputs: z.array(dataset.extend({ outputFacets: z.strictObject({ outputStatistics: statistics }).optional() })),
});

type RunEvent = z.output<typeof runEvent>;

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** The events that were taken, in the order in which they came. */
  readonly events: RunEvent[];
  readonly authorizations: (string | undefined)[];
  readonly paths: (string | undefined)[];
  /** What the specification does not allow in events that were refused. */
  readonly problems: string[];
  /** The status of the next answers; undefined to take valid events. */
  answer: number | undefined;
  /** Resolves when an event is asked to be taken, whatever the answer. */
  asked(): Promise<void>;
  /** Resolves when so many events were taken. */
  taken(count: number): Promise<void>;
}

export async function startReceiver(port = 0): Promise<Receiver> {
  const waiting = new Set<() => void>();
  const told = () => {
    for (const tell of waiting) tell();
  };
  const next = () =>
    new Promise<void>((resolve) => {
      const tell = () => {
        waiting.delete(tell);
        resolve();
      };
      waiting.add(tell);
    });
  const server: Server = createServer(async (request, response) => {
    receiver.authorizations.push(request.headers.authorization);
    receiver.paths.push(request.url);
    const parsed = runEvent.safeParse(await json(request));
    if (!parsed.success) receiver.problems.push(parsed.error.message);
    const status = receiver.answer ?? (parsed.success ? 201 : 422);
    if (status === 201) receiver.events.push(parsed.data!);
    response.writeHead(status).end();
    told();
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    events: [],
    authorizations: [],
    paths: [],
    problems: [],
    answer: undefined,
    asked: next,
    taken: async (count) => {
      while (receiver.events.length < count) await next();
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
