/** The descriptions of docs/scale/ for containers: they are not run here, but what they hold is checked. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { configSchema } from "../../../../service/config/schema";

const folder = join(__dirname, "../../../../docs/scale");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

const secrets = {
  DAG_SERVICE_STATE: "postgres://dag:secret@postgres:5432/dag",
  DAG_SERVICE_CREDENTIALS: [{ accessKeyId: "a", secretAccessKey: "b" }],
};

/** Checks a config as the service does, with the state and the key pair of the environment. */
function checked(config: string) {
  const { DAG_SERVICE_STATE: state, DAG_SERVICE_CREDENTIALS: credentials } = secrets;
  return configSchema.parse({ ...parse(config), state, credentials });
}

test("compose.yaml: the service takes its config, and every name in it is a service, a config or a volume", () => {
  const { services, configs, volumes } = parse(read("compose.yaml"), { merge: true });
  const config = checked(configs.dag.content);
  expect(config.clusters.map(({ type }) => type)).toEqual(["spark", "duckdb"]);
  const hosts = config.engines["spark"]!.urls.map(({ host }) => host);
  expect([...hosts, "postgres", "s3"].filter((host) => !(host in services))).toEqual([]);
  for (const { depends_on: needed = [], configs: used = [], volumes: mounts = [] } of Object.values<{
    depends_on?: string[] | Record<string, unknown>;
    configs?: { source: string }[];
    volumes?: string[];
  }>(services)) {
    for (const name of Array.isArray(needed) ? needed : Object.keys(needed)) expect(services).toHaveProperty(name);
    for (const { source } of used) expect(configs).toHaveProperty(source);
    const own = mounts.filter((mount) => !mount.startsWith("."));
    for (const mount of own) expect(volumes).toHaveProperty(mount.split(":")[0]!);
  }
  for (const [, host] of configs.balancer.content.matchAll(/server \S+ ([\w-]+):9393/g)) {
    expect(services[host]).toMatchObject({ hostname: host, environment: expect.objectContaining({}) });
  }
});

test("kubernetes.yaml: the service takes its config, and every name in it is an object of the file", () => {
  const objects = parseAllDocuments(read("kubernetes.yaml")).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  });
  const named = (kind: string) => objects.find((object) => object.kind === kind)!;
  expect(checked(named("ConfigMap").data["dag.yaml"]).clusters).toHaveLength(2);
  expect(Object.keys(named("Secret").stringData)).toEqual(expect.arrayContaining(Object.keys(secrets)));
  const { template, selector, serviceName } = named("StatefulSet").spec;
  expect(template.metadata.labels).toEqual(selector.matchLabels);
  expect(named("Service")).toMatchObject({ metadata: { name: serviceName }, spec: { selector: selector.matchLabels } });
  const [container] = template.spec.containers;
  const claims = named("StatefulSet").spec.volumeClaimTemplates;
  const volumes = [...template.spec.volumes, ...claims.map(({ metadata }: { metadata: { name: string } }) => metadata)];
  expect(container.volumeMounts.map(({ name }: { name: string }) => name)).toEqual(volumes.map(({ name }) => name));
  expect(configSchema.parse({ state: named("Secret").stringData.DAG_SERVICE_STATE }).state).toMatchObject({
    kind: "postgres",
    url: expect.stringMatching(/[?]sslmode=verify-full$/),
  });
  expect(container.envFrom).toEqual([{ secretRef: { name: named("Secret").metadata.name } }]);
  expect(template.spec.volumes).toEqual([{ name: "config", configMap: { name: named("ConfigMap").metadata.name } }]);
});
