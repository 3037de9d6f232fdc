/** Schema of the engines on other servers in the config file. */
import * as z from "zod";

const serverUrl = z.string().transform((text, context) => {
  const match = /^hive2:\/\/(\[[0-9a-fA-F:.]+\]|[^:/@?[\]]+):(\d{1,5})$/.exec(text);
  const port = Number(match?.[2] ?? 0);
  if (!match || port < 1 || port > 65_535) {
    context.addIssue({ code: "custom", message: "it must be hive2://HOST:PORT, such as hive2://127.0.0.1:10000" });
    return z.NEVER;
  }
  return { host: match[1]!.replace(/^\[|\]$/g, ""), port };
});

const settings = z.strictObject({
  /** What the servers run. */
  dialect: z.enum(["hive", "spark"], { error: "it must be hive or spark" }),
  /** HiveServer2s of the same Hive, or Thrift servers of the same Spark, tried in this order. */
  urls: z.array(serverUrl).min(1),
  /** The web interface of the Spark, which reports the progress of statements. */
  ui: z.url({ protocol: /^https?$/, error: "it must be http://HOST:PORT" }).optional(),
  /** The scheme of the URLs by which the servers know objects on S3, such as `s3a://bucket/key`. */
  s3Scheme: z
    .string()
    .regex(/^[a-z][a-z0-9+.-]*$/, "it must be the scheme of a URL, such as s3a or s3")
    .optional(),
  /** Without it, the servers take connections without authentication (NOSASL). */
  auth: z
    .strictObject({
      user: z.string().regex(/^[^\0]+$/, "it must not be empty"),
      password: z
        .string()
        .regex(/^[^\0]*$/)
        .default(""),
    })
    .optional(),
  /** Encrypts the connections; without `ca`, the authorities that Node.js knows are trusted. */
  tls: z.strictObject({ ca: z.string().min(1).optional() }).optional(),
});

const engine = settings.refine(({ dialect, ui }) => dialect === "spark" || ui === undefined, {
  path: ["ui"],
  error: "it is for the dialect spark: remove it",
});

/** The name of the embedded engine, which no other one may have. */
export const embeddedEngine = "duckdb";

/** The engines by the name that clusters have as their `type`. */
export const engines = z.record(z.string(), engine).superRefine((byName, context) => {
  for (const name of Object.keys(byName)) {
    const message = !/^[a-z][a-z0-9-]{0,62}$/.test(name)
      ? "a name must be 1 to 63 of a-z, 0-9 and '-', with a letter first"
      : name === embeddedEngine && "duckdb is the embedded engine: choose another name";
    if (message) context.addIssue({ code: "custom", path: [name], message });
  }
});
