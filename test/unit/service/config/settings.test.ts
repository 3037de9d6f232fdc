import { expect, test } from "vitest";
import { environmentName, settings, unknownVariables } from "../../../../service/config/settings";

test("unknownVariables: names what is misspelled, and neither a setting nor what Kubernetes sets for a service", () => {
  const known = [...settings.map(environmentName), "DAG_SERVICE_CONFIG", "DAG_SERVICE_ALLOW_FAULTS"];
  const kubernetes = ["DAG_SERVICE_SERVICE_HOST", "DAG_SERVICE_SERVICE_PORT_HTTP", "DAG_SERVICE_PORT_9393_TCP_ADDR"];
  const misspelled = ["DAG_SERVICE_LISTENS", "DAG_SERVICE_PORTS"];
  const environment = Object.fromEntries([...known, ...kubernetes, ...misspelled, "HOME"].map((name) => [name, "x"]));
  expect(unknownVariables(environment)).toEqual(misspelled);
});
