import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { ProgressError } from "../../../../../service/engines/hiveserver2/client/errors";
import { taskProgress } from "../../../../../service/engines/hiveserver2/dialects/spark-progress";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Starts a server with these answers by path. Returns its URL. */
async function serve(answers: Readonly<Record<string, unknown>>): Promise<string> {
  server = createServer(({ url = "" }, response) => response.end(JSON.stringify(answers[url] ?? "nothing here")));
  server.listen(0, "127.0.0.1");
  await new Promise((listening) => server!.once("listening", listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const { signal } = new AbortController();

test("taskProgress: the share of a statement's tasks that have ended; nothing when it has none yet", async () => {
  const url = await serve({
    "/api/v1/applications": [{ id: "app-1" }],
    "/api/v1/applications/app-1/jobs": [
      { jobGroup: "s1", numTasks: 6, numCompletedTasks: 2 },
      { jobGroup: "s1", numTasks: 2, numCompletedTasks: 2 },
      { jobGroup: "other", numTasks: 9, numCompletedTasks: 0 },
    ],
  });
  expect(await taskProgress({ url }, "s1", signal)).toBe(50);
  expect(await taskProgress({ url }, "s2", signal)).toBeUndefined();
});

test("taskProgress: a server that is no Spark, or none, is named with the remedy and without its path", async () => {
  const url = await serve({});
  const wrong = taskProgress({ url: `${url}/secret-path` }, "s1", signal);
  await expect(wrong).rejects.toThrow(`${url} does not answer as Spark's web interface: check ui in the config`);
  await expect(taskProgress({ url: "http://127.0.0.1:1" }, "s1", signal)).rejects.toThrow(ProgressError);
});
