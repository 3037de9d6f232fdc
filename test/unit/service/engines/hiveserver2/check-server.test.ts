import { expect, test } from "vitest";
import { serverProblem } from "../../../../../service/engines/hiveserver2/check-server";
import { dialectOf } from "../../../../../service/engines/hiveserver2/dialects";

test.each([
  ["hive", "Apache Hive", "4.0.1", /^none$/],
  ["hive", "Apache Hive", "4.2.0-SNAPSHOT", /^none$/],
  ["hive", "Apache Hive", "3.1.3", /is Hive 3\.1\.3, which the dialect hive does not support: use 4\.0 or later/],
  ["hive", "Spark SQL", "4.3.0", /is "Spark SQL 4\.3\.0" and not Hive: correct dialect or urls/],
  ["spark", "Spark SQL", "4.0.0", /^none$/],
  ["spark", "Spark SQL", "3.5.9", /is Spark 3\.5\.9, which the dialect spark does not support: use 4\.0 or later/],
  ["spark", "Apache Hive", "4.0.1", /is "Apache Hive 4\.0\.1" and not Spark/],
  ["spark", "Spark SQL", "", /use 4\.0 or later/],
] as const)("serverProblem: dialect %s, server %s %s", (dialect, name, version, expected) => {
  expect(serverProblem(dialectOf(dialect), name, version) ?? "none").toMatch(expected);
});
