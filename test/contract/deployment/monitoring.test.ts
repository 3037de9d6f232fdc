/** The alerts and the dashboard of docs/run, on a real Prometheus that scrapes a service, and a real Alertmanager. */
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import type { TestService } from "dag-service/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { freePort } from "../../../tools/scale/component.mts";
import { call, ended, pause, send } from "../service/caller";
import { startWithData } from "../service/fixture";
import { deploymentFile, deploymentPath, execute, programPath, replaced, useFolder } from "./programs";

const promtool = programPath("promtool", "prometheus");
const prometheus = programPath("prometheus", "prometheus");
const amtool = programPath("amtool", "prometheus-alertmanager");
const alertmanager = programPath("prometheus-alertmanager", "prometheus-alertmanager");

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const dashboard = JSON.parse(deploymentFile("grafana-dashboard.json")) as { readonly panels: readonly Panel[] };
const queries = dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));
const rules = (
  parse(deploymentFile("dag-alerts.yaml")) as { groups: { rules: { alert: string; expr: string; for: string }[] }[] }
).groups.flatMap((group) => group.rules);

/** The metrics of the service that an expression names. */
const metricsIn = (expression: string) =>
  [...expression.matchAll(/\b(?:dag|process|nodejs)_\w+/g)].map(([name]) => name.replace(/_(?:count|bucket|sum)$/, ""));

let service: TestService;
let exported = "";
beforeAll(async () => {
  service = await startWithData();
  const submitted = await call(service, "POST", "/v1/?select", {
    body: { clusterName: "c1", query: "select count(*) n from data.events", outputResourcePath: "dag://out/r" },
  });
  await ended(service, submitted.json.queryId);
  await call(service, "GET", "/v1/?query", { secretAccessKey: "wrong" });
  exported = (await send(service.url, "GET", "/metrics", {})).text;
});
afterAll(() => service.close());

test("every query of the dashboard and every alert names metrics that the service exports", () => {
  const named = [...queries, ...rules].flatMap(({ expr }) => metricsIn(expr));
  expect(named.length).toBeGreaterThan(queries.length);
  expect(named.filter((name) => !exported.includes(`# TYPE ${name} `))).toEqual([]);
});

test("docs/run/monitoring.md has every metric with its labels, every alert with its delay, and the fields of a request's line", () => {
  const page = readFileSync(deploymentPath("../monitoring.md"), "utf8");
  const types = [...exported.matchAll(/^# TYPE (dag_\w+) /gm)].map(([, name]) => name!);
  expect(types.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  for (const { alert, for: delay } of rules) {
    expect(page).toContain(`| \`${alert}\` | ${delay.replace("m", " min")} |`);
  }
  const labels = [...exported.matchAll(/^(dag_\w+?)(?:_bucket|_sum|_count)?\{(.*?)\}/gm)].flatMap(([, name, text]) =>
    [...text!.matchAll(/(\w+)="/g)].map(([, label]) => ({ name: name!, label: label! })),
  );
  const row = (name: string) => page.split("\n").find((line) => line.startsWith(`| \`${name}\` |`));
  expect(labels.filter(({ name, label }) => label !== "le" && !row(name)?.includes(`\`${label}\``))).toEqual([]);
});

const folder = useFolder();

describe.skipIf(promtool === undefined)("promtool", () => {
  test("check: takes the alerts and the configuration", async () => {
    writeFileSync(join(folder.path, "dag-alerts.yaml"), deploymentFile("dag-alerts.yaml"));
    writeFileSync(join(folder.path, "prometheus.yaml"), deploymentFile("prometheus.yaml"));
    const { stdout } = await execute(promtool!, ["check", "config", join(folder.path, "prometheus.yaml")]);
    expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`);
  });

  test("test: each alert fires on the series that it is for, and on no others", async () => {
    const cases = parse(readFileSync(join(__dirname, "alerts.test.yaml"), "utf8"));
    const tested = cases.tests.flatMap((each: { alert_rule_test: { alertname: string }[] }) =>
      each.alert_rule_test.map(({ alertname }) => alertname),
    );
    expect(new Set(tested)).toEqual(new Set(rules.map(({ alert }) => alert)));
    const file = join(folder.path, "alerts.test.yaml");
    writeFileSync(file, JSON.stringify({ ...cases, rule_files: [deploymentPath("dag-alerts.yaml")] }));
    const { stdout } = await execute(promtool!, ["test", "rules", file]);
    expect(stdout).toContain("SUCCESS");
  });
});

describe.skipIf(amtool === undefined)("amtool", () => {
  test.each([
    ["page", "on-call"],
    ["ticket", "team"],
  ])("routes: an alert of severity %s reaches %s", async (severity, receiver) => {
    const file = `--config.file=${deploymentPath("alertmanager.yaml")}`;
    const { stdout } = await execute(amtool!, ["config", "routes", "test", file, `severity=${severity}`]);
    expect(stdout.trim()).toBe(receiver);
  });
});

test.skipIf(prometheus === undefined || alertmanager === undefined)(
  "alertmanager: a service that is gone is a message to its receiver",
  async () => {
    const [own, scraped] = [await freePort(), await freePort()];
    const messages: string[] = [];
    const receiver = createServer(async (request, answer) => {
      messages.push(`${request.url} ${await textOf(request)}`);
      answer.end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void receiver.close());
    await once(receiver, "listening");
    const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    const data = join(folder.path, "alertmanager");
    mkdirSync(data);
    const write = (name: string, file: string, changes: Record<string, string>) =>
      writeFileSync(join(data, name), replaced(deploymentFile(file), changes));
    write("alertmanager.yml", "alertmanager.yaml", {
      "https://chat.example.com/hooks": address,
      "group_wait: 10s": "group_wait: 0s",
    });
    write("dag-alerts.yaml", "dag-alerts.yaml", { "for: 1m": "for: 0s" });
    write("prometheus.yml", "prometheus.yaml", {
      "127.0.0.1:9393": `127.0.0.1:${scraped}`,
      "127.0.0.1:9093": `127.0.0.1:${own}`,
      "scrape_interval: 15s": "scrape_interval: 200ms\n  scrape_timeout: 200ms",
      "evaluation_interval: 15s": "evaluation_interval: 200ms",
    });
    const running = [
      folder.start(alertmanager!, [
        `--config.file=${data}/alertmanager.yml`,
        `--storage.path=${data}/alerts`,
        `--web.listen-address=127.0.0.1:${own}`,
        "--cluster.listen-address=",
      ]),
      folder.start(prometheus!, [
        `--config.file=${data}/prometheus.yml`,
        `--storage.tsdb.path=${data}/data`,
        `--web.listen-address=127.0.0.1:${await freePort()}`,
      ]),
    ];
    while (messages.length === 0) {
      for (const each of running) each.output();
      await pause(50);
    }
    expect(messages[0]).toMatch(/^\/on-call .*"alertname":"DagServiceDown"/);
  },
);

test.skipIf(prometheus === undefined)(
  "prometheus: scrapes the service, and answers every query of the dashboard",
  async () => {
    const port = await freePort();
    const data = join(folder.path, "prometheus");
    mkdirSync(data);
    writeFileSync(join(data, "dag-alerts.yaml"), deploymentFile("dag-alerts.yaml"));
    writeFileSync(
      join(data, "prometheus.yml"),
      replaced(deploymentFile("prometheus.yaml"), {
        "127.0.0.1:9393": new URL(service.url).host,
        "scrape_interval: 15s": "scrape_interval: 200ms\n  scrape_timeout: 200ms",
      }),
    );
    const options = [`--config.file=${data}/prometheus.yml`, `--storage.tsdb.path=${data}/data`];
    const server = folder.start(prometheus!, [...options, `--web.listen-address=127.0.0.1:${port}`]);
    const query = async (expr: string): Promise<unknown[]> => {
      const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expr)}`;
      const answer = await fetch(url).catch(() => undefined);
      server.output();
      // It takes no connections yet, or says that it is starting.
      if (answer === undefined || answer.status === 503) return [];
      const { error, data: found } = (await answer.json()) as { error?: string; data?: { result: unknown[] } };
      if (found === undefined) throw new Error(`${expr}: ${error}`);
      return found.result;
    };
    while ((await query('count_over_time(up{job="dag"}[1m]) > 3')).length === 0) await pause(100);
    // After a scrape that took too long, as on a busy machine, there is no value until the next one.
    let unanswered = queries;
    const ask = async () => {
      const answers = await Promise.all(unanswered.map(async (each) => ({ each, found: await query(each.expr) })));
      unanswered = answers.filter(({ found }) => found.length === 0).map(({ each }) => each);
      return unanswered;
    };
    await expect.poll(ask, { timeout: 60_000, interval: 200 }).toEqual([]);
    const loaded = (await (await fetch(`http://127.0.0.1:${port}/api/v1/rules`)).json()) as {
      data: { groups: { rules: { name: string; health: string }[] }[] };
    };
    expect(loaded.data.groups.flatMap((group) => group.rules.map(({ name }) => name))).toEqual(
      rules.map(({ alert }) => alert),
    );
  },
);
