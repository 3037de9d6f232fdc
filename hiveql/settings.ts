/** Hive settings: those that change the result of a statement, and those that are known not to. */
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
  /** `hive.optimize.ppd` and `hive.cbo.enable`: true when Hive pushes conditions below LATERAL VIEW, and drops some. */
  readonly dropsLateralViewFilters: boolean;
  /** `hive.cbo.enable`: true when Hive uses its cost-based optimizer. */
  readonly usesOptimizer: boolean;
  /** `hive.local.time.zone`: the time zone of from_unixtime and current_timestamp, such as `Europe/Paris`. */
  readonly timeZone: string;
}

/** The effect of a setting: none, or a function that applies a value and returns false when it is not supported. */
type SettingRule = "no effect" | ((settings: MutableSettings, value: string) => boolean);
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

/** Applies a setting that disables filter push-down with `false`. Hive reads any other value as true. */
const readFilterPushdown = (settings: MutableSettings, value: string) => {
  settings.dropsLateralViewFilters &&= value !== "false";
  return true;
};

/** The settings by name. A name that ends in `.*` matches a prefix. The first match applies. */
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
      if (!/^[a-z]+(\/[a-z_]+)+$|^utc$/i.test(value)) return false;
      settings.timeZone = value;
      return true;
    },
  ],
  ["hive.strict.timestamp.conversion", onlyAllowed("true")],
  ["hive.limit.query.max.table.partition", "no effect"],
  ["hive.lazysimple.*", onlyAllowed("false")],
  [
    "hive.mapred.mode",
    (settings, value) => {
      settings.typeSafety = value === "strict";
      return value === "strict" || value === "nonstrict";
    },
  ],
  ["hive.optimize.ppd", readFilterPushdown],
  [
    "hive.cbo.enable",
    (settings, value) => {
      settings.usesOptimizer = value !== "false";
      return readFilterPushdown(settings, value);
    },
  ],
  ["hive.mapred.*", "no effect"],
  ["hive.explain.*", "no effect"],
  ["hive.vectorized.*", "no effect"],
  ["hive.auto.convert.*", "no effect"],
  ["hive.fetch.*", "no effect"],
  ["hive.cbo.*", "no effect"],
  ["hive.map.*", "no effect"],
  ["hive.mapjoin.*", "no effect"],
  ["hive.stats.*", "no effect"],
  ["hive.optimize.*", "no effect"],
  ["hive.merge.*", "no effect"],
  ["hive.exec.*", "no effect"],
  ["hive.groupby.skewindata", "no effect"],
  ["hive.input.format", "no effect"],
  ["hive.compute.query.using.stats", "no effect"],
  ["hive.limit.*", "no effect"],
  ["hive.strict.checks.type.safety", flag((settings, on) => (settings.typeSafety = on))],
  ["hive.strict.checks.*", "no effect"],
  ["hive.skewjoin.*", "no effect"],
  ["hive.index.*", "no effect"],
  ["hive.multigroupby.*", "no effect"],
  ["hive.combine.*", "no effect"],
  ["hive.metastore.*", "no effect"],
  ["hive.new.job.grouping.set.cardinality", "no effect"],
  ["hive.outerjoin.supports.filters", onlyAllowed("true")],
  ["hive.enforce.*", "no effect"],
  ["hive.join.*", "no effect"],
  ["hive.tez.*", "no effect"],
  ["hive.support.concurrency", "no effect"],
  ["hive.txn.manager", "no effect"],
  ["hive.ppd.*", "no effect"],
  ["hive.query.*", "no effect"],
  ["hive.variable.*", "no effect"],
  ["hive.log.*", "no effect"],
  ["hive.server2.*", "no effect"],
  ["hive.execution.*", "no effect"],
  ["hive.llap.*", "no effect"],
  ["hive.plan.*", "no effect"],
  ["hive.task.*", "no effect"],
  ["hive.test.*", "no effect"],
  ["hive.transpose.*", "no effect"],
  ["hive.auto.progress.*", "no effect"],
  ["hive.remove.*", "no effect"],
  ["hive.udtf.*", "no effect"],
  ["hive.security.*", "no effect"],
  ["mapred.*", "no effect"],
  ["hive.spark.*", "no effect"],
  ["spark.*", "no effect"],
  ["hive.orc.*", "no effect"],
  ["orc.*", "no effect"],
  ["parquet.*", "no effect"],
  ["yarn.*", "no effect"],
  ["hive.cli.*", "no effect"],
  ["hive.resultset.*", "no effect"],
  ["mapreduce.*", "no effect"],
  ["tez.*", "no effect"],
  ["io.*", "no effect"],
  ["dfs.*", "no effect"],
];

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
    dropsLateralViewFilters: true,
    usesOptimizer: true,
    timeZone: "UTC",
  };
  const start = { line: 1, column: 1 };
  const given = Object.entries(values).map(([name, value]) => ({ name, value, position: start }));
  for (const { name, value, position } of [...given, ...written]) {
    const rule = rules.find(([known]) =>
      known.endsWith(".*") ? name.startsWith(known.slice(0, -1)) : name === known,
    )?.[1];
    const isSupported =
      rule === "no effect" ||
      (rule !== undefined &&
        rule(settings, name === "hive.local.time.zone" ? value.trim() : value.trim().toLowerCase()));
    if (!isSupported) throw unsupported(position, `setting ${name}=${value}`, reasonOf(name, rule !== undefined));
  }
  return settings;
}
