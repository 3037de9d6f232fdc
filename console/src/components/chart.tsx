/** A line over time. */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
// oxlint-disable-next-line import/no-unassigned-import -- a stylesheet
import "uplot/dist/uPlot.min.css";
import { hourAndMinute } from "../format";
import { shownTheme } from "../theme";

interface ChartProps {
  /** Milliseconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
  /** Top of the scale. */
  readonly limit: number;
  readonly format: (value: number) => string;
  /** What a reader of the page hears. */
  readonly label: string;
  readonly isStepped?: boolean;
}

const height = 110;

export function Chart({ times, values, limit, format, label, isStepped = false }: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const latest = useRef(format);
  latest.current = format;
  const data: uPlot.AlignedData = [times.map((time) => time / 1000), [...values]];
  const shown = shownTheme.value;
  useEffect(() => {
    const element = host.current!;
    const chart = new uPlot(
      optionsOf(element, limit, isStepped, (value) => latest.current(value)),
      data,
      element,
    );
    plot.current = chart;
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [limit, shown, isStepped]);
  useEffect(() => plot.current?.setData(data), [times.length, times.at(-1), values.at(-1)]);
  return <div class="chart" ref={host} role="img" aria-label={label} />;
}

function optionsOf(
  element: HTMLElement,
  limit: number,
  isStepped: boolean,
  format: (value: number) => string,
): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color("--muted"),
    font: "11px system-ui, sans-serif",
    ticks: { show: false },
    grid: { stroke: color("--line"), width: 1 },
  };
  const stepped = isStepped ? uPlot.paths.stepped?.({ align: 1 }) : undefined;
  return {
    width: element.clientWidth || 300,
    height,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 20, 0, 0],
    scales: {
      x: { time: true, range: (_, from, to) => [Math.min(from, to - 300), to] },
      y: { range: [0, Math.max(limit, 1)] },
    },
    axes: [
      { ...axis, space: 80, size: 24, values: (_, splits) => splits.map((time) => hourAndMinute(time * 1000)) },
      {
        ...axis,
        size: 64,
        splits: isStepped ? [0, limit] : [0, limit / 2, limit],
        values: (_, splits) => splits.map((value) => format(value)),
      },
    ],
    series: [
      {},
      {
        stroke: color("--accent"),
        fill: color("--accent-soft"),
        width: 2,
        points: { show: false },
        ...(stepped ? { paths: stepped } : {}),
      },
    ],
  };
}
