import { expect, test } from "vitest";
import openapi from "../../../openapi.json";
import { send } from "../service/caller";
import { useService } from "../service/fixture";
import { findSchemathesis, runSchemathesis } from "./schemathesis";

const fixture = useService();

const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
].join(",");

test("openapi.json: every answer of the service is as it promises, and none has a status of 5xx", async ({ skip }) => {
  const found = findSchemathesis();
  if ("reason" in found) {
    console.log(`openapi.json is not tested with schemathesis: ${found.reason}`);
    return skip(found.reason);
  }
  const { url, credentials } = fixture.service;
  const { code, output } = await runSchemathesis(
    found.program,
    ["--url", url, "--phases", "examples,coverage,fuzzing", "--max-examples", "15", "--checks", checks, "--seed", "1"],
    { DAG_ACCESS_KEY_ID: credentials.accessKeyId, DAG_SECRET_ACCESS_KEY: credentials.secretAccessKey },
  );
  expect(code, output).toBe(0);
  // The requests must have come through: signed, and some of them with success.
  const metrics = (await send(url, "GET", "/metrics", {})).text;
  const counts = metrics.split("\n").filter((line) => line.startsWith("dag_request_duration_seconds_count"));
  const succeeded = ["listQueries", "listClusters"].filter((operation) =>
    counts.some((line) => line.includes(`operation="${operation}",status="200"`)),
  );
  expect(succeeded).toEqual(["listQueries", "listClusters"]);
  expect(counts.filter((line) => /status="5/.test(line))).toEqual([]);
}, 400_000);

test("openapi.json: has each operation with its key, its errors and a signed example", () => {
  const paths = Object.keys(openapi.paths);
  expect(paths).toContain("/v1/?select");
  expect(paths).toContain("/v1/{clusterName}/log?clusterManagement");
  expect(openapi.openapi).toBe("3.1.0");
  expect(openapi.components.securitySchemes.signature.description).toContain("IIJGIO AK:pf5p9sgwGWbWeNJ/Wo0X0qZ/QEo=");
  expect(Object.keys(openapi.paths["/v1/?select"].post.responses)).toEqual(
    expect.arrayContaining(["202", "400", "403", "404", "413", "500", "503"]),
  );
});
