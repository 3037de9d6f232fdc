/** The servers of the quickstart and the tests at scale: those that the environment names, and our own for the others. */
import { formatDuration } from "../setup/progress.mjs";
import { MissingComponent, requireProgram, type Server } from "./component.mts";
import { hiveJars, startHive } from "./hive/hive.mts";
import { postgresPrograms, startPostgres } from "./postgres.mts";
import { s3Program, startS3, type S3Access } from "./s3.mts";
import { s3Jars, sparkJars } from "./spark/jars.mts";
import { startSpark } from "./spark/spark.mts";

export const componentNames = ["s3", "postgres", "spark", "hive"] as const;
export type ComponentName = (typeof componentNames)[number];

/** Where a component is; its version when it is our own. */
interface Access {
  readonly s3: { readonly access: S3Access; readonly directory?: string; readonly log?: string };
  readonly postgres: { readonly url: string };
  readonly spark: { readonly url: string; readonly ui?: string };
  readonly hive: { readonly url: string };
}

/** The components that were asked for. */
export type Components = Partial<Access> & { stop(): Promise<void> };

interface Component<Name extends ComponentName> {
  /** Returns the one that the environment names. */
  given(): Access[Name] | undefined;
  /** Fetches what this machine lacks. @throws MissingComponent */
  fetch(): Promise<void>;
  start(s3: S3Access | undefined, options: StartOptions): Promise<Access[Name] & Server>;
}

interface StartOptions {
  /** The buckets of our own S3 server. */
  readonly buckets: readonly string[];
  /** Workers of our own Spark. */
  readonly workers: number;
  /** Ends the start. */
  readonly signal?: AbortSignal;
}

const remedyForJava = "install Java 17";
const { env } = process;

const table: { readonly [Name in ComponentName]: Component<Name> } = {
  s3: {
    given: () => (env["DAG_SCALE_S3"] ? { access: s3Of(env["DAG_SCALE_S3"]) } : undefined),
    fetch: async () => void (await s3Program()),
    start: (_s3, { buckets, signal }) => startS3(buckets, signal),
  },
  postgres: {
    given: () => (env["DAG_SCALE_POSTGRES"] ? { url: env["DAG_SCALE_POSTGRES"] } : undefined),
    fetch: async () => void (await postgresPrograms()),
    start: (_s3, { signal }) => startPostgres(signal),
  },
  spark: {
    given: () => {
      const { DAG_SCALE_SPARK: url, DAG_SCALE_SPARK_UI: ui } = env;
      return url ? { url, ...(ui && { ui }) } : undefined;
    },
    async fetch() {
      requireProgram("java", remedyForJava);
      await sparkJars();
      await s3Jars();
    },
    start: (s3, { workers, signal }) => startSpark({ workers, ...(s3 && { s3 }), signal }),
  },
  hive: {
    given: () => (env["DAG_SCALE_HIVE"] ? { url: env["DAG_SCALE_HIVE"] } : undefined),
    async fetch() {
      requireProgram("java", remedyForJava);
      await hiveJars();
    },
    start: (s3, { signal }) => startHive({ ...(s3 && { s3 }), signal }),
  },
};

/**
 * Fetches what the components need, one after another.
 *
 * @returns why this machine cannot have some of them, by their names
 */
export async function fetchComponents(names: readonly ComponentName[]): Promise<Map<ComponentName, string>> {
  const missing = new Map<ComponentName, string>();
  for (const name of names) {
    if (table[name].given()) continue;
    try {
      await table[name].fetch();
    } catch (error) {
      if (!(error instanceof MissingComponent)) throw error;
      missing.set(name, error.message);
    }
  }
  return missing;
}

/**
 * Starts components, those that keep their data on S3 after S3.
 *
 * @param say receives one line for each: its version, and how long its start took
 */
export async function startComponents(
  names: readonly ComponentName[],
  options: StartOptions,
  say: (line: string) => void,
): Promise<Components> {
  const started: Partial<Record<ComponentName, Access[ComponentName]>> = {};
  const servers: Server[] = [];
  const start = async (name: ComponentName, s3?: S3Access) => {
    const given = table[name].given();
    if (given) {
      started[name] = given;
      return say(`${name}: the one that the environment names`);
    }
    const begun = Date.now();
    const server = await table[name].start(s3, options);
    servers.push(server);
    started[name] = server;
    say(`${server.version}, started in ${formatDuration(Date.now() - begun)}`);
  };
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()));
  };
  const first = names.filter((name) => name === "s3" || name === "postgres");
  try {
    await settled(first.map((name) => start(name)));
    const s3 = (started.s3 as Access["s3"] | undefined)?.access;
    await settled(names.filter((name) => !(first as ComponentName[]).includes(name)).map((name) => start(name, s3)));
    return { ...(started as Partial<Access>), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits for all, and throws the first failure only then, so that nothing is started behind its back. */
async function settled(all: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(all)) if (result.status === "rejected") throw result.reason;
}

/** Reads `http://HOST:PORT?region=R`, with the key pair of the AWS environment. */
function s3Of(text: string): S3Access {
  const url = new URL(text);
  return {
    endpoint: url.origin,
    region: url.searchParams.get("region") ?? "us-east-1",
    accessKeyId: env["AWS_ACCESS_KEY_ID"] ?? "",
    secretAccessKey: env["AWS_SECRET_ACCESS_KEY"] ?? "",
  };
}
