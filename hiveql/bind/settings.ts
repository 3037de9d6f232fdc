/** Hive's settings: which change an answer, and which are known not to. */
import { unsupported } from "../syntax";

/** Settings that change how a statement is read; the defaults are Hive 4's. */
export interface Settings {
  /** `hive.support.quoted.identifiers`: with `none`, backticks hold a regular expression over column names. */
  readonly quotedIdentifiers: "column" | "none";
  /** `hive.groupby.position.alias` or `hive.groupby.orderby.position.alias`. */
  readonly groupByPosition: boolean;
  /** `hive.orderby.position.alias`. */
  readonly orderByPosition: boolean;
  /** `hive.default.nulls.last`: where NULL stands in ascending order unless the statement says; Hive before 4 has it first. */
  readonly nullsLast: boolean;
  /** `hive.strict.checks.type.safety`: whether comparisons that may lose digits are refused. */
  readonly typeSafety: boolean;
  /** `hive.optimize.ppd` and `hive.cbo.enable`: whether Hive moves conditions below LATERAL VIEW, and forgets some. */
  readonly forgetsFilters: boolean;
  /** `hive.cbo.enable`: whether Hive's optimizer plans what it can. */
  readonly usesOptimizer: boolean;
  /** `hive.local.time.zone`: the zone that seconds since 1970 and the present time are shown in, such as `Europe/Paris`. */
  readonly timeZone: string;
}

/** What a setting does to answers. */
type Rule = "harmless" | ((settings: Mutable, value: string) => boolean);
type Mutable = { -readonly [Key in keyof Settings]: Settings[Key] };

const flag = (set: (settings: Mutable, on: boolean) => void): Rule => {
  return (settings, value) => {
    if (value !== "true" && value !== "false") return false;
    set(settings, value === "true");
    return true;
  };
};

const mustBe =
  (...allowed: readonly string[]): Rule =>
  (_settings, value) =>
    allowed.includes(value);

/** Hive takes any other word for true. */
const remembersFilters = (settings: Mutable, value: string) => {
  settings.forgetsFilters &&= value !== "false";
  return true;
};

/** Settings by name; a name that ends in `.*` stands for all that begin so. The first that fits counts. */
const rules: readonly (readonly [string, Rule])[] = [
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
  ["hive.compat", mustBe("0.12", "latest")],
  ["hive.default.nulls.last", flag((settings, on) => (settings.nullsLast = on))],
  [
    "hive.local.time.zone",
    (settings, value) => {
      if (!/^[a-z]+(\/[a-z_]+)+$|^utc$/i.test(value)) return false;
      settings.timeZone = value;
      return true;
    },
  ],
  ["hive.strict.timestamp.conversion", mustBe("true")],
  ["hive.limit.query.max.table.partition", "harmless"],
  ["hive.lazysimple.*", mustBe("false")],
  [
    "hive.mapred.mode",
    (settings, value) => {
      settings.typeSafety = value === "strict";
      return value === "strict" || value === "nonstrict";
    },
  ],
  ["hive.optimize.ppd", remembersFilters],
  [
    "hive.cbo.enable",
    (settings, value) => {
      settings.usesOptimizer = value !== "false";
      return remembersFilters(settings, value);
    },
  ],
  ["hive.mapred.*", "harmless"],
  ["hive.explain.*", "harmless"],
  ["hive.vectorized.*", "harmless"],
  ["hive.auto.convert.*", "harmless"],
  ["hive.fetch.*", "harmless"],
  ["hive.cbo.*", "harmless"],
  ["hive.map.*", "harmless"],
  ["hive.mapjoin.*", "harmless"],
  ["hive.stats.*", "harmless"],
  ["hive.optimize.*", "harmless"],
  ["hive.merge.*", "harmless"],
  ["hive.exec.*", "harmless"],
  ["hive.groupby.skewindata", "harmless"],
  ["hive.input.format", "harmless"],
  ["hive.compute.query.using.stats", "harmless"],
  ["hive.limit.*", "harmless"],
  ["hive.strict.checks.type.safety", flag((settings, on) => (settings.typeSafety = on))],
  ["hive.strict.checks.*", "harmless"],
  ["hive.skewjoin.*", "harmless"],
  ["hive.index.*", "harmless"],
  ["hive.multigroupby.*", "harmless"],
  ["hive.combine.*", "harmless"],
  ["hive.metastore.*", "harmless"],
  ["hive.new.job.grouping.set.cardinality", "harmless"],
  ["hive.outerjoin.supports.filters", mustBe("true")],
  ["hive.enforce.*", "harmless"],
  ["hive.join.*", "harmless"],
  ["hive.tez.*", "harmless"],
  ["hive.support.concurrency", "harmless"],
  ["hive.txn.manager", "harmless"],
  ["hive.ppd.*", "harmless"],
  ["hive.query.*", "harmless"],
  ["hive.log.*", "harmless"],
  ["hive.server2.*", "harmless"],
  ["hive.execution.*", "harmless"],
  ["hive.llap.*", "harmless"],
  ["hive.plan.*", "harmless"],
  ["hive.task.*", "harmless"],
  ["hive.test.*", "harmless"],
  ["hive.transpose.*", "harmless"],
  ["hive.auto.progress.*", "harmless"],
  ["hive.remove.*", "harmless"],
  ["hive.udtf.*", "harmless"],
  ["hive.security.*", "harmless"],
  ["mapred.*", "harmless"],
  ["mapreduce.*", "harmless"],
  ["tez.*", "harmless"],
  ["io.*", "harmless"],
  ["dfs.*", "harmless"],
];

/**
 * Reads settings in force.
 * @throws HiveQLError for one that is not known to leave answers as they are.
 */
export function readSettings(values: Readonly<Record<string, string>>): Settings {
  const settings: Mutable = {
    quotedIdentifiers: "column",
    groupByPosition: false,
    orderByPosition: true,
    nullsLast: true,
    typeSafety: true,
    forgetsFilters: true,
    usesOptimizer: true,
    timeZone: "UTC",
  };
  for (const [name, value] of Object.entries(values)) {
    const rule = rules.find(([known]) =>
      known.endsWith(".*") ? name.startsWith(known.slice(0, -1)) : name === known,
    )?.[1];
    const taken =
      rule === "harmless" ||
      (rule !== undefined &&
        rule(settings, name === "hive.local.time.zone" ? value.trim() : value.trim().toLowerCase()));
    if (!taken) throw unsupported({ line: 1, column: 1 }, `setting ${name}=${value}`);
  }
  return settings;
}
