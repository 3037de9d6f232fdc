/** Draws how values grow, as a small SVG that is readable on a light and on a dark page. */
import type { Growth } from "../../test/bench/support/results.mts";

const size = { width: 640, height: 330 } as const;
const area = { left: 64, right: 620, top: 16, bottom: 228 } as const;
/** Readable on white and on black. */
const ink = "#7d8590";
const colors = ["#2f81f7", "#db6d28", "#2da44e", "#a371f7", "#e5534b", "#bf8700"] as const;
const legendColumns = 2;

/** Maps a value to a place. */
type Scale = (value: number) => number;

/** Returns the SVG of a plot. Both axes are logarithmic, so that a cost that is proportional is a straight line. */
export function plot({ title, quantity, unit, quantities, series }: Growth): string {
  const values = series.flatMap((each) => each.values);
  const x = logScale(quantities, area.left, area.right);
  const [low, high] = [powerBelow(Math.min(...values)), powerAbove(Math.max(...values))];
  const y = logScale([low, high], area.bottom, area.top);
  const lines = series.map(({ name, values: own }, index) => line({ name, values: own, quantities, x, y, index }));
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif" font-size="12" fill="${ink}">`,
    `<title>${escaped(title)}</title>`,
    ...powersBetween(low, high).map((value) => horizontal(value, y(value))),
    ...quantities.map((value) => text(x(value), area.bottom + 18, shortNumber(value), "middle")),
    text((area.left + area.right) / 2, area.bottom + 38, quantity, "middle"),
    text(8, area.top - 4, unit, "start"),
    ...lines,
    "</svg>",
  ].join("\n")}\n`;
}

interface Line {
  readonly name: string;
  readonly values: readonly number[];
  readonly quantities: readonly number[];
  readonly x: Scale;
  readonly y: Scale;
  readonly index: number;
}

/** Draws a line with its points, and its entry in the legend. */
function line({ name, values, quantities, x, y, index }: Line): string {
  const color = colors[index % colors.length]!;
  const points = values.map((value, place) => [round(x(quantities[place]!)), round(y(value))] as const);
  const left = area.left + (index % legendColumns) * 280;
  const top = area.bottom + 60 + Math.floor(index / legendColumns) * 16;
  return [
    `<polyline points="${points.map((point) => point.join(",")).join(" ")}" fill="none" stroke="${color}" stroke-width="2"/>`,
    ...points.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3" fill="${color}"/>`),
    `<rect x="${left}" y="${top - 9}" width="10" height="10" fill="${color}"/>`,
    text(left + 16, top, name, "start"),
  ].join("\n");
}

function horizontal(value: number, at: number): string {
  const place = round(at);
  return [
    `<line x1="${area.left}" x2="${area.right}" y1="${place}" y2="${place}" stroke="${ink}" stroke-opacity="0.3"/>`,
    text(area.left - 8, place + 4, shortNumber(value), "end"),
  ].join("\n");
}

function text(x: number, y: number, content: string, anchor: "start" | "middle" | "end"): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${escaped(content)}</text>`;
}

function logScale(values: readonly number[], from: number, to: number): Scale {
  const [low, high] = [Math.log(Math.min(...values)), Math.log(Math.max(...values))];
  return (value) => from + ((Math.log(value) - low) / (high - low)) * (to - from);
}

const powerBelow = (value: number) => 10 ** Math.floor(Math.log10(value));
const powerAbove = (value: number) => Math.max(10 ** Math.ceil(Math.log10(value)), powerBelow(value) * 10);

function powersBetween(low: number, high: number): number[] {
  const powers: number[] = [];
  for (let power = Math.round(Math.log10(low)); power <= Math.round(Math.log10(high)); power += 1) powers.push(power);
  return powers.map((power) => Number(`1e${power}`));
}

const shortNumber = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 6 });
const round = (value: number) => Math.round(value * 10) / 10;
const escaped = (content: string) =>
  content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
