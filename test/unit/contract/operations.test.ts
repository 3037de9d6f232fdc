import { describe, expect, it } from "vitest";
import { errorCodes, errorTable, metaOf, operationNames, operations, type Operation } from "../../../contract";

const entries = operationNames.map((name) => [name, operations[name] as Operation] as const);

describe("operations", () => {
  it("are those of the specification's section 4", () => {
    expect(
      entries.map(
        ([name, { section, method, path, key, success }]) => `${section} ${name} ${method} ${path}?${key} ${success}`,
      ),
    ).toEqual([
      "4.1 submitSelect POST /v1/?select 202",
      "4.2 submitSplit POST /v1/?split 202",
      "4.3 listQueries GET /v1/?query 200",
      "4.4 getQuery GET /v1/{queryId}?query 200",
      "4.5 cancelQuery DELETE /v1/{queryId}?query 204",
      "4.6 getQueryLog GET /v1/{queryId}/log?query 200",
      "4.7 restartCluster PUT /v1/{clusterName}?clusterManagement 204",
      "4.8 listClusters GET /v1/?clusterManagement 200",
      "4.9 getCluster GET /v1/{clusterName}?clusterManagement 200",
      "4.10 getClusterStatistics GET /v1/{clusterName}/statistics?clusterManagement 200",
      "4.11 exportClusterLog PUT /v1/{clusterName}/log?clusterManagement 204",
    ]);
  });

  it.each(entries)("%s: has a response body exactly when its success status is not 204", (_, { success, response }) => {
    expect(response === undefined).toBe(success === 204);
  });

  it.each(entries)("%s: every field has a description and an error code", (_, { body, parameters }) => {
    const metas = Object.values({ ...body?.shape, ...parameters?.shape }).map(metaOf);
    for (const meta of metas) {
      expect(meta).toMatchObject({ description: expect.stringMatching(/^[`A-Z].*\.$/) });
      expect(errorCodes).toContain(meta?.code);
    }
  });

  it.each(entries)("%s: a value of another type is answered with the field's rule", (_, { body, parameters }) => {
    for (const schema of Object.values({ ...body?.shape, ...parameters?.shape })) {
      for (const value of [true, 1.5, "\0", [1], {}, null]) {
        const issues = schema.safeParse(value).error?.issues ?? [];
        for (const { message } of issues) expect(message).toMatch(/^it must /);
      }
    }
  });

  it("name every error of the specification", () => {
    const named = new Set(entries.flatMap(([, { errors }]) => errors));
    const specified = errorCodes.filter((code) => errorTable[code].source === "api");
    expect(specified.filter((code) => !named.has(code))).toEqual([]);
  });
});
