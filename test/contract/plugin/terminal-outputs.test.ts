/** Control characters of a service's answers: both front ends show them, and never send them to a terminal. */
import { Server, ServerCredentials, type sendUnaryData, type ServerUnaryCall } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { engineLog } from "../../../provider/pulumi-engine/pulumi-log";
import { answer, MisbehavingServer } from "../client/misbehaving-server";
import { dynamicFrontEnd, pluginFrontEnd, type FrontEnd } from "./front-ends";

const evil = "\u001b]0;x\u0007\u009b2J\u202e";
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/; // oxlint-disable-line no-control-regex
const shown = "\\u001b]0;x\\u0007\\u009b2J\\u202e";

const select = { clusterName: "c1", query: "SELECT 1", outputResourcePath: "dag://results/a/" };
const record = {
  id: 7,
  type: "select",
  processEngine: "mapreduce",
  dsl: "hive",
  clusterName: "c1",
  clusterRebooted: false,
  accessKeyId: "AK",
  startTime: "2026-11-20 13:46:11",
  progress: "100%",
  label: "",
  stage: 1,
  query: select.query,
  outputFormat: "csv",
  outputResourcePath: select.outputResourcePath,
};

let server: MisbehavingServer;
beforeAll(async () => void (server = await MisbehavingServer.start()));
afterAll(() => server.close());

/** What the front ends need of a service. */
const service = () =>
  ({
    url: server.url,
    credentials: { accessKeyId: "AK", secretAccessKey: "SK" },
    bucketsDirectory: __dirname,
  }) as never;

/** Everything that the engine prints of an error. */
function printed(error: unknown): string {
  const { message, reasons = [], details = "" } = error as Error & { reasons?: string[]; details?: string };
  return [message, String(error), ...reasons, details].join("\n");
}

describe.each([
  ["dynamic", dynamicFrontEnd],
  ["plugin", pluginFrontEnd],
])("%s front end", (_, open) => {
  async function failure(work: (frontEnd: FrontEnd) => Promise<unknown>): Promise<string> {
    await using frontEnd = await open(service());
    return await work(frontEnd).then(() => expect.unreachable("it did not fail"), printed);
  }

  test("create: shows the control characters of a refusal", async () => {
    const body = { code: `Invalid${evil}`, message: evil, status: 400, requestId: evil, resource: evil };
    server.behave(answer(400, body));
    const text = await failure((frontEnd) => frontEnd.create("SelectQuery", "s", select));
    expect(text).toContain(shown);
    expect(text).not.toMatch(controls);
  });

  test("create: shows the control characters of a failed query's log", async () => {
    server.behave((response, received, socket) => {
      const { method, url } = received;
      if (method === "POST") return answer(202, { queryId: 7 })(response, received, socket);
      if (url.includes("/log?")) return answer(200, { log: `failed: ${evil}\n` })(response, received, socket);
      if (url.startsWith("/v1/7?")) return answer(200, { ...record, status: "error" })(response, received, socket);
      return answer(200, { isTruncated: false, queries: [] })(response, received, socket);
    });
    const text = await failure((frontEnd) => frontEnd.create("SelectQuery", "s", select));
    expect(text).toContain(shown);
    expect(text).not.toMatch(controls);
  });

  test("check: shows the control characters of an invalid value", async () => {
    await using frontEnd = await open(service());
    const { failures } = await frontEnd.check("SelectQuery", "s", { ...select, clusterName: evil });
    expect(failures.map(({ reason }) => reason).join("\n")).toContain("clusterName");
    expect(failures.map(({ reason }) => reason).join("\n")).not.toMatch(controls);
  });
});

test("messages and progress of resources reach the engine without control characters", async () => {
  const received: string[] = [];
  const engine = new Server();
  engine.addService(EngineService as never, {
    log({ request }: ServerUnaryCall<LogRequest, Empty>, done: sendUnaryData<Empty>) {
      received.push(request.getMessage());
      done(null, new Empty());
    },
  });
  const port = await new Promise<number>((resolve, reject) =>
    engine.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, at) =>
      error ? reject(error) : resolve(at),
    ),
  );
  onTestFinished(() => engine.forceShutdown());
  const log = engineLog(`127.0.0.1:${port}`);
  log.status("urn", `status ${evil}`);
  log.message("urn", "warning", `warning ${evil}`);
  await log.messages("info", [`report ${evil}\nsecond line`]);
  await expect.poll(() => received.length).toBe(3);
  expect(received.toSorted()).toEqual([`report ${shown}\nsecond line`, `status ${shown}`, `warning ${shown}`]);
});
