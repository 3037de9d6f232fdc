/** Schema of the config file. `docs/service.md` describes every field. */
import * as z from "zod";
import {
  bucketPattern,
  bucketRule,
  type Column,
  defaultScheme,
  fields,
  parseColumns,
  tableFormats,
} from "../../contract";
import { foreignFormatNamed } from "../../storage/foreign-formats";
import { faultRule } from "../http/faults";
import { embeddedEngine, engines } from "./engines";

const memoryUnits: Readonly<Record<string, number>> = {
  "": 1,
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
  TIB: 2 ** 40,
};

/** Parses a size such as `2GB`, `512MiB` or `1024` to bytes; undefined when it is not a size above zero. */
export function parseBytes(text: string | number): number | undefined {
  const [, amount, unit = ""] = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*$/.exec(String(text)) ?? [];
  const factor = Object.hasOwn(memoryUnits, unit.toUpperCase()) ? memoryUnits[unit.toUpperCase()] : undefined;
  const bytes = amount === undefined || factor === undefined ? 0 : Math.floor(Number(amount) * factor);
  return bytes > 0 ? bytes : undefined;
}

const listen = z.string().transform((text, context) => {
  const match = /^(?:(\[[0-9a-fA-F:.]+\]|[^:[\]]*):)?(\d{1,5})$/.exec(text.trim());
  const port = Number(match?.[2] ?? Number.NaN);
  if (!match || port > 65_535) {
    context.addIssue({
      code: "custom",
      message: "it must be HOST:PORT, such as 127.0.0.1:9393; port 0 picks a free one",
    });
    return z.NEVER;
  }
  return { host: (match[1] ?? "").replace(/^\[|\]$/g, "") || "127.0.0.1", port };
});

const memoryRule = "it must be a size such as 2GB or 512MB";
const memory = z.union([z.string(memoryRule), z.number()]).transform((text, context) => {
  const bytes = parseBytes(text);
  if (bytes !== undefined) return bytes;
  context.addIssue({ code: "custom", message: memoryRule });
  return z.NEVER;
});

/** Bytes that the engine needs to run a query over a few rows. */
const leastMemory = 64e6;

const retentionDaysRule = "it must be a number of days above 0 and at most 36500";
const retention = z.strictObject({
  /** Days after its end for which a query and its log are kept. */
  days: z.number({ error: retentionDaysRule }).positive(retentionDaysRule).max(36_500, retentionDaysRule).default(30),
  /** Maximum size of all records and logs of queries together. @default no limit */
  bytes: memory.optional(),
});

const credentials = z.strictObject({
  accessKeyId: z.string().regex(/^[^\s:]+$/, "it must not be empty and must not contain spaces or colons"),
  secretAccessKey: z.string().min(1),
});

const cluster = z.strictObject({
  name: fields.clusterName,
  /** Engine family. */
  type: z.string().min(1).default(embeddedEngine),
  debug: z.boolean().default(false),
  /** The engine's memory limit. @default the sum over the instances by grade */
  memory: memory
    .refine((bytes) => bytes >= leastMemory, "it must be at least 64MB: a query needs about that much")
    .optional(),
  instances: z
    .array(z.strictObject({ grade: z.string().min(1), quantity: z.int().min(1).max(10_000) }))
    .min(1)
    .default([{ grade: "standard", quantity: 5 }]),
});

const tableFormat = z.enum(tableFormats, {
  error: ({ input }) => {
    const foreign = foreignFormatNamed(input);
    return foreign
      ? `${foreign.name} cannot be read: ${foreign.remedy}`
      : `it must be one of ${tableFormats.join(", ")}`;
  },
});

const table = z
  .strictObject({
    database: z.string().regex(bucketPattern, `it must be ${bucketRule}`),
    table: fields.outputTable,
    format: tableFormat.default("csv"),
    /** `<type> <name>, …`; without it the columns are read from the data. */
    schema: z.string().optional(),
    /** `<type> <name>, …`: the columns whose values the folders `name=value/` give, from the outermost. */
    partitions: z.string().optional(),
  })
  .transform(({ schema, partitions, ...rest }, context) => {
    const read = (field: "schema" | "partitions", text: string | undefined, nested: boolean): Column[] | undefined => {
      if (text === undefined) return undefined;
      try {
        return parseColumns(text, { field, nested });
      } catch (error) {
        context.addIssue({ code: "custom", path: [field], message: (error as Error).message });
        return undefined;
      }
    };
    const columns = read("schema", schema, rest.format === "parquet");
    const partitionColumns = read("partitions", partitions, false);
    const binary = partitionColumns?.find(({ type }) => type === "binary");
    if (binary) {
      const message = `it names the column "${binary.name}", which is binary: declare it as string`;
      context.addIssue({ code: "custom", path: ["partitions"], message });
    }
    const twice = partitionColumns?.find(({ name }) => columns?.some((column) => column.name === name));
    if (twice) {
      const message = `it names the column "${twice.name}", which schema has too: a partition column is not a column of the data`;
      context.addIssue({ code: "custom", path: ["partitions"], message });
    }
    return {
      ...rest,
      ...(columns === undefined ? {} : { columns }),
      ...(partitionColumns === undefined ? {} : { partitions: partitionColumns }),
    };
  });

const view = z.strictObject({
  database: z.string().regex(bucketPattern, `it must be ${bucketRule}`),
  view: fields.outputTable,
  /** One SELECT. */
  query: z.string().refine((text) => text.trim() !== "", "it must be a SELECT statement"),
});

/** A refinement also sees a text that is no URL, of which the type's own check tells. */
const noUrl = { username: "", password: "", search: "" };

const originRule = "it must be an origin, https://HOST[:PORT]";

const storageRule = "it must be file:DIR, or s3:ENDPOINT?region=REGION";
const storage = z.union([
  z.string(storageRule).regex(/^(?:file:.|s3:)/, storageRule),
  z.strictObject({
    s3: z.strictObject({
      endpoint: z
        .url({ protocol: /^https?$/, error: "it must be a URL, such as https://s3.example.com" })
        .refine((text) => {
          const { username, password } = URL.parse(text) ?? noUrl;
          return username === "" && password === "";
        }, "it must not have a user or password: set accessKeyId and secretAccessKey"),
      region: z.string().min(1).default("us-east-1"),
      accessKeyId: z.string().min(1),
      secretAccessKey: z.string().min(1),
    }),
  }),
]);

/** Returns true when each `%` begins the code of a character. */
function canBeDecoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

const state = z.string().transform((text, context) => {
  const file = /^sqlite:(.+)$/s.exec(text)?.[1];
  if (file !== undefined) return { kind: "sqlite" as const, file };
  const url = /^postgres(?:ql)?:\/\//.test(text) ? URL.parse(text) : null;
  const isDecodable = [url?.username, url?.password, url?.pathname].every((part) => canBeDecoded(part ?? ""));
  if (url && url.hostname !== "" && url.pathname.length > 1 && isDecodable) {
    return { kind: "postgres" as const, url: text };
  }
  context.addIssue({
    code: "custom",
    message:
      "it must be sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/DATABASE, with each special character of the password as %XX",
  });
  return z.NEVER;
});

const onlyForS3 = "it is for buckets on S3: remove it, or set storage to s3:…";

const openlineageUrlRule = "it must be a URL, such as https://lineage.example.com";

const openlineage = z.strictObject({
  /** The server that takes the events; without a path, they go to `/api/v1/lineage` there. */
  url: z.url({ protocol: /^https?$/, error: openlineageUrlRule }).refine((text) => {
    const { username, password, search } = URL.parse(text) ?? noUrl;
    return username === "" && password === "" && search === "";
  }, "it must not have a user, a password or parameters: set apiKey"),
  /** The namespace of the jobs and datasets of this service. */
  namespace: z.string().min(1, "it must not be empty"),
  /** Sent as a bearer token. @default none */
  apiKey: z
    .string()
    .regex(/^[!-~]+$/, "it must be one word of printable ASCII characters")
    .optional(),
});

export const configSchema = z
  .strictObject({
    listen: listen.default({ host: "127.0.0.1", port: 9393 }),
    /** Folder for buckets, state, logs and credentials. */
    data: z.string().min(1).default(".dag"),
    /** @default `file:<data>/buckets` */
    storage: storage.optional(),
    /** DuckDB's extension httpfs, for buckets on S3. @default the one in DuckDB's own place for extensions, if any */
    httpfs: z.string().min(1).optional(),
    /** Where queries are recorded. @default `sqlite:<data>/state.sqlite` */
    state: state.optional(),
    /** Without it the service creates one pair at its first start. */
    credentials: z.array(credentials).min(1).optional(),
    signature: z
      .strictObject({
        scheme: z
          .string()
          .regex(/^[!-~]+$/, "it must be one word of printable ASCII characters")
          .default(defaultScheme),
        headerPrefix: z
          .string()
          .regex(/^[A-Za-z0-9-]+-$/, "it must be a header name prefix of letters, digits and '-' that ends in '-'")
          .default("x-svc-"),
        maxSkewSeconds: z.number().positive().default(900),
      })
      .prefault({}),
    clusters: z
      .array(cluster)
      .min(1)
      .default([cluster.parse({ name: "demo" })]),
    /** Engines on other servers, by the name that clusters have as their `type`. */
    engines: engines.default({}),
    tables: z.array(table).default([]),
    views: z.array(view).default([]),
    retention: retention.prefault({}),
    /** Where OpenLineage events are sent. @default nowhere */
    openlineage: openlineage.optional(),
    faults: z.array(faultRule).default([]),
    console: z
      .strictObject({
        /** Origins of consoles elsewhere that may call this service from a browser, such as `https://dag.example.com`. */
        allowedOrigins: z
          .array(z.url(originRule).refine((text) => (URL.parse(text)?.origin ?? text) === text, originRule))
          .default([]),
      })
      .prefault({}),
  })
  .superRefine((config, context) => {
    const { clusters, tables, views, credentials: pairs = [], engines: byName, storage: place, httpfs } = config;
    const isOnS3 = typeof place === "object" || place?.trim().startsWith("s3:") === true;
    const withScheme = Object.entries(byName).find(([, { s3Scheme }]) => s3Scheme !== undefined);
    if (withScheme && !isOnS3) {
      context.addIssue({ code: "custom", path: ["engines", withScheme[0], "s3Scheme"], message: onlyForS3 });
    }
    if (httpfs !== undefined && !isOnS3) {
      context.addIssue({ code: "custom", path: ["httpfs"], message: onlyForS3 });
    }
    const rejectDuplicates = (path: string, names: readonly string[]) => {
      const duplicate = names.find((name, index) => names.indexOf(name) !== index);
      if (duplicate !== undefined)
        context.addIssue({
          code: "custom",
          path: [path],
          message: `"${duplicate}" is listed more than once, names must be unique`,
        });
    };
    rejectDuplicates(
      "clusters",
      clusters.map(({ name }) => name),
    );
    rejectDuplicates(
      "tables",
      tables.map(({ database, table: name }) => `${database}.${name}`),
    );
    rejectDuplicates("views", [
      ...new Set(tables.map(({ database, table: name }) => `${database}.${name}`)),
      ...views.map(({ database, view: name }) => `${database}.${name}`),
    ]);
    rejectDuplicates(
      "credentials",
      pairs.map(({ accessKeyId }) => accessKeyId),
    );
  });

/** The parsed config, with defaults. */
export type ServiceConfig = z.output<typeof configSchema>;
/**
 * The config before parsing, as the config file has it; tools/generate reads it.
 * @public
 */
export type ServiceConfigInput = z.input<typeof configSchema>;
