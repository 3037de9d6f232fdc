/** Hive settings: those that change the result of a statement, and those that are known not to. */
import { zoneNamed } from "./runtime/java/zones";
import { type LeadingSetting, unsupported } from "./syntax";

/** Settings that change the result of a statement, with the defaults of Hive 4. */
export interface Settings {
  /** `hive.support.quoted.identifiers`: with `none`, backticks contain a regular expression over column names. */
  readonly quotedIdentifiers: "column" | "none";
  /**
   * `hive.groupby.position.alias` or `hive.groupby.orderby.position.alias`: true when `GROUP BY 1` is a column
   * position.
   */
  readonly groupByPosition: boolean;
  /** `hive.orderby.position.alias`: true when `ORDER BY 1` is a column position. */
  readonly orderByPosition: boolean;
  /**
   * `hive.default.nulls.last`: true when NULLs are last in ascending order by default. Before Hive 4 they were first.
   */
  readonly nullsLast: boolean;
  /** `hive.strict.checks.type.safety`: true when comparisons that may lose digits are refused. */
  readonly typeSafety: boolean;
  /** `hive.local.time.zone`: the time zone of from_unixtime and current_timestamp, such as `Europe/Paris`; `local` is UTC. */
  readonly timeZone: string;
}

/** Applies a value of a setting; returns false, or the reason, when it is not supported. */
type SettingRule = (settings: MutableSettings, value: string) => boolean | string;
type MutableSettings = { -readonly [Key in keyof Settings]: Settings[Key] };

const flag = (set: (settings: MutableSettings, on: boolean) => void): SettingRule => {
  return (settings, value) => {
    if (value !== "true" && value !== "false") return false;
    set(settings, value === "true");
    return true;
  };
};

const onlyAllowed =
  (...allowed: readonly string[]): SettingRule =>
  (_settings, value) =>
    allowed.includes(value);

/** The settings with an effect on answers, by name. A name that ends in `.*` matches a prefix. */
const rules: readonly (readonly [string, SettingRule])[] = [
  [
    "hive.support.quoted.identifiers",
    (settings, value) => {
      if (value !== "none" && value !== "column" && value !== "standard") return false;
      settings.quotedIdentifiers = value === "none" ? "none" : "column";
      return value !== "standard";
    },
  ],
  ["hive.groupby.position.alias", flag((settings, on) => (settings.groupByPosition = on))],
  ["hive.orderby.position.alias", flag((settings, on) => (settings.orderByPosition = on))],
  [
    "hive.groupby.orderby.position.alias",
    flag((settings, on) => {
      settings.groupByPosition = on;
      settings.orderByPosition = on;
    }),
  ],
  ["hive.compat", onlyAllowed("0.12", "latest")],
  ["hive.default.nulls.last", flag((settings, on) => (settings.nullsLast = on))],
  [
    "hive.local.time.zone",
    (settings, value) => {
      const zone = /^(utc|local)$/i.test(value) ? "UTC" : value.replace(/^(?=[+-]\d)/, "GMT");
      settings.timeZone = zone;
      return (
        zoneNamed(zone) !== undefined ||
        "names no time zone: write a region such as Europe/Paris, or an offset such as GMT+8"
      );
    },
  ],
  ["hive.strict.timestamp.conversion", onlyAllowed("true")],
  ["hive.lazysimple.*", onlyAllowed("false")],
  ["hive.remove.orderby.in.subquery", onlyAllowed("true")],
  ["hive.exec.default.partition.name", onlyAllowed("__hive_default_partition__")],
  [
    "hive.mapred.mode",
    (settings, value) => {
      settings.typeSafety = value === "strict";
      return value === "strict" || value === "nonstrict";
    },
  ],
  ["hive.strict.checks.type.safety", flag((settings, on) => (settings.typeSafety = on))],
  ["hive.outerjoin.supports.filters", onlyAllowed("true")],
];

/** Settings of how Hive runs a statement, which change no answer; those above are looked up first. */
const harmless =
  `hive.archive.* hive.async.* hive.auto.convert.* hive.auto.progress.* hive.aux.* hive.blobstore.* hive.cache.*
   hive.cbo.* hive.cli.* hive.combine.* hive.compute.query.using.stats hive.conf.* hive.convert.* hive.counters.*
   hive.default.fileformat hive.default.fileformat.managed hive.enforce.* hive.entity.* hive.error.on.empty.partition
   hive.exec.* hive.execution.* hive.explain.* hive.fetch.* hive.groupby.skewindata hive.hadoop.* hive.hashtable.*
   hive.ignore.mapjoin.hint hive.index.* hive.input.format hive.insert.into.* hive.intermediate.* hive.io.rcfile.*
   hive.jobname.* hive.join.* hive.limit.* hive.llap.* hive.load.* hive.lock.* hive.log.* hive.map.* hive.mapjoin.*
   hive.mapper.* hive.mapred.* hive.materializedview.* hive.merge.* hive.mergejob.* hive.metastore.* hive.msck.*
   hive.multi.* hive.multigroupby.* hive.mv.* hive.new.job.grouping.set.cardinality hive.optimize.* hive.orc.*
   hive.plan.* hive.ppd.* hive.prewarm.* hive.query.* hive.reloadable.* hive.remove.* hive.resultset.* hive.rework.*
   hive.scratch.* hive.script.* hive.security.* hive.server2.* hive.skewjoin.* hive.smbjoin.* hive.spark.*
   hive.stageid.* hive.stats.* hive.strict.checks.* hive.support.concurrency hive.task.* hive.test.* hive.tez.*
   hive.transpose.* hive.txn.* hive.typecheck.* hive.udtf.* hive.user.* hive.variable.* hive.vectorized.*
   hive.warehouse.* hive.zookeeper.* dfs.* fs.* io.* mapred.* mapreduce.* orc.* parquet.* spark.* tez.* yarn.*`.split(
    /\s+/,
  );

const isNamed = (known: string, name: string) =>
  known.endsWith(".*") ? name.startsWith(known.slice(0, -1)) : name === known;

const reasonOf = (name: string, isKnown: boolean) =>
  isKnown
    ? "may change the answer: leave it out if the answer for its default is the one that you want"
    : `is not known${name.startsWith("hive.") ? "" : " as a setting of Hive"} and may change the answer: leave it out`;

/**
 * Reads the settings of a statement.
 * @param values settings of the caller, by name.
 * @param written settings that stand before the statement, and take precedence.
 * @throws HiveQLError for a setting or value that may change the result in an unsupported way.
 */
export function readSettings(
  values: Readonly<Record<string, string>>,
  written: readonly LeadingSetting[] = [],
): Settings {
  const settings: MutableSettings = {
    quotedIdentifiers: "column",
    groupByPosition: false,
    orderByPosition: true,
    nullsLast: true,
    typeSafety: true,
    timeZone: "UTC",
  };
  const start = { line: 1, column: 1 };
  const given = Object.entries(values).map(([name, value]) => ({ name, value, position: start }));
  for (const { name, value, position } of [...given, ...written]) {
    const rule = rules.find(([known]) => isNamed(known, name))?.[1];
    const isSupported = rule
      ? rule(settings, name === "hive.local.time.zone" ? value.trim() : value.trim().toLowerCase())
      : harmless.some((known) => isNamed(known, name));
    if (isSupported === true) continue;
    const reason = isSupported || reasonOf(name, rule !== undefined);
    throw unsupported(position, `setting ${name}=${value}`, reason);
  }
  return settings;
}
