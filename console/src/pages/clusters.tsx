/** Clusters: status, slots, memory and storage over time; restart and log export. */
import { useRef, useState } from "preact/hooks";
import { usageAnswer, type UsageAnswer, type UsagePoint } from "../../../contract/extension";
import type { ClusterRecord } from "../../../contract/records";
import { call, read } from "../api/client";
import { usePoll } from "../api/poll";
import { Chart } from "../components/chart";
import { Icon } from "../components/icon";
import { Problem } from "../components/notice";
import { Status, useTitle } from "../components/parts";
import { bytes } from "../format";
import { href } from "../router";
import { pageStrings } from "../page-strings";
import { strings } from "../strings";
import { ExportDialog, RestartDialog } from "./cluster-dialogs";

type Usage = UsageAnswer["clusters"][number];

/** Milliseconds of the charts. */
const hour = 3_600_000;

export function ClustersPage() {
  const text = pageStrings.clusters;
  useTitle(text.title);
  const {
    value: clusters,
    error,
    refresh,
  } = usePoll(
    (signal) => call("listClusters", { parameters: { order: "asc" }, signal }).then((page) => page.clusters),
    2000,
    "clusters",
  );
  const usage = useUsage();
  return (
    <section class="clusters-page">
      <div class="page-head">
        <h1>{text.title}</h1>
      </div>
      {error && <Problem error={error} retry={refresh} />}
      {!clusters && !error && <p class="loading">{strings.shell.loading}</p>}
      {usage.error && <p class="banner warning">{text.extensionMissing}</p>}
      <div class="clusters-grid">
        {(clusters ?? []).map((cluster) => (
          <ClusterCard key={cluster.name} cluster={cluster} usage={usage.value?.get(cluster.name)} refresh={refresh} />
        ))}
      </div>
    </section>
  );
}

/** Reads the last hour once, and then only what is new. */
function useUsage() {
  const known = useRef(new Map<string, Usage>());
  return usePoll(
    async (signal) => {
      const times = [...known.current.values()].map(({ points }) => points.at(-1)?.time ?? 0);
      const since = times.length > 0 ? Math.max(...times) : 0;
      const { clusters } = await read(usageAnswer, `/usage?since=${since}`, { signal });
      const merged = clusters.map((cluster) => {
        const before = known.current.get(cluster.name)?.points ?? [];
        const points = [...before, ...cluster.points].filter(({ time }) => time > Date.now() - 2 * hour).slice(-720);
        return [cluster.name, { ...cluster, points }] as const;
      });
      known.current = new Map(merged);
      return known.current;
    },
    5000,
    "usage",
  );
}

interface CardProps {
  readonly cluster: ClusterRecord;
  readonly usage: Usage | undefined;
  readonly refresh: () => void;
}

function ClusterCard({ cluster, usage, refresh }: CardProps) {
  const text = pageStrings.clusters;
  const { name, status, type, instances, debug } = cluster;
  const [dialog, setDialog] = useState<"restart" | "export">();
  const running = useRunning(name);
  const slots = usage?.slots ?? Math.max(0, instances.reduce((sum, { quantity }) => sum + quantity, 0) - 1);
  const close = () => {
    setDialog(undefined);
    refresh();
  };
  return (
    <article class="panel cluster" aria-labelledby={`cluster-${name}`}>
      <div class="panel-head">
        <h2 id={`cluster-${name}`} class="break">
          {name}
        </h2>
        <Status status={status} name={text.status[status]} />
        <span class="actions">
          <button type="button" class="button" onClick={() => setDialog("export")}>
            <Icon name="download" /> {text.export}
          </button>
          <button type="button" class="button" onClick={() => setDialog("restart")}>
            <Icon name="restart" /> {text.restart}
          </button>
        </span>
      </div>
      <dl class="facts">
        <div class="fact">
          <dt>{text.engine}</dt>
          <dd>{type}</dd>
        </div>
        <div class="fact">
          <dt>{text.instances}</dt>
          <dd>{instances.map(({ quantity, grade }) => text.instance(quantity, grade)).join(", ")}</dd>
        </div>
        <div class="fact">
          <dt>{text.debug}</dt>
          <dd>{debug ? text.on : text.off}</dd>
        </div>
        <div class="fact">
          <dt>{text.running}</dt>
          <dd>
            <a href={href("/queries", { cluster: name, status: "running" })}>{text.showRunning(running ?? 0)}</a>
          </dd>
        </div>
        <div class="fact wide">
          <dt>{text.queue}</dt>
          <dd>{text.queueNone}</dd>
        </div>
      </dl>
      <Charts name={name} slots={slots} running={running} usage={usage} />
      {dialog === "restart" && <RestartDialog name={name} running={running ?? 0} type={type} onClose={close} />}
      {dialog === "export" && <ExportDialog name={name} onClose={close} />}
    </article>
  );
}

function Charts({
  name,
  slots,
  running,
  usage,
}: {
  readonly name: string;
  readonly slots: number;
  readonly running: number | undefined;
  readonly usage: Usage | undefined;
}) {
  const text = pageStrings.clusters;
  const statistics = usePoll(
    (signal) => call("getClusterStatistics", { path: { clusterName: name }, signal }),
    15_000,
    `statistics ${name}`,
  ).value;
  const points = usage?.points ?? [];
  const last = points.at(-1);
  const memoryLimit = usage?.memoryLimit ?? 0;
  const capacity = statistics?.disk.capacity ?? 0;
  const memory =
    last?.memory === null || last === undefined ? text.unknown : text.of(bytes(last.memory), bytes(memoryLimit));
  const disk = statistics ? text.of(bytes(statistics.disk.used), bytes(capacity)) : text.unknown;
  return (
    <div class="charts">
      <Measure name={text.slots} now={text.slotsOf(running ?? last?.running ?? 0, slots)}>
        <Line
          points={points}
          pick={({ running: count }) => count}
          limit={Math.max(1, slots)}
          format={String}
          name={text.slots}
          isStepped
        />
      </Measure>
      <Measure name={text.memory} now={memory}>
        <Line
          points={points}
          pick={(point) => point.memory}
          limit={memoryLimit || 1}
          format={bytes}
          name={text.memory}
        />
      </Measure>
      <Measure name={text.disk} now={disk}>
        <Line
          points={points}
          pick={(point) => point.disk}
          limit={roundUp(Math.max(1_000_000, ...points.map((point) => point.disk ?? 0)))}
          format={bytes}
          name={text.disk}
        />
      </Measure>
    </div>
  );
}

function Measure({
  name,
  now,
  children,
}: {
  readonly name: string;
  readonly now: string;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <div class="measure">
      <p class="measure-head">
        <span>{name}</span> <strong>{now}</strong>
      </p>
      {children}
    </div>
  );
}

interface LineProps {
  readonly points: readonly UsagePoint[];
  readonly pick: (point: UsagePoint) => number | null;
  readonly limit: number;
  readonly format: (value: number) => string;
  readonly name: string;
  readonly isStepped?: boolean;
}

function Line({ points, pick, limit, format, name, isStepped = false }: LineProps) {
  const last = points.at(-1);
  const value = last ? pick(last) : null;
  return (
    <Chart
      times={points.map(({ time }) => time)}
      values={points.map(pick)}
      limit={limit}
      format={format}
      isStepped={isStepped}
      label={pageStrings.clusters.chart(name, value === null ? pageStrings.clusters.unknown : format(value))}
    />
  );
}

/** Rounds a size up to 1, 2 or 5 times a power of ten, so that a scale does not move with each point. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((limit) => limit >= value)!;
}

/** The number of running queries, up to a page of them. */
function useRunning(clusterName: string): number | undefined {
  return usePoll(
    (signal) =>
      call("listQueries", { parameters: { clusterName, status: "running" }, signal }).then(
        ({ queries }) => queries.length,
      ),
    2000,
    `running ${clusterName}`,
  ).value;
}
