import { expect, test } from "vitest";
import { plot } from "../../../../tools/generate/plot.mts";

const growth = {
  name: "split",
  title: "Split of <large> files",
  quantity: "GB of input",
  unit: "s",
  quantities: [1, 10, 100],
  series: [
    { name: "ours", values: [0.5, 5, 50] },
    { name: "reference", values: [1, 1, 1] },
  ],
};

const points = (svg: string) =>
  Array.from(svg.matchAll(/points="([^"]*)"/g), ([, list]) =>
    list!.split(" ").map((point) => point.split(",").map(Number)),
  );

test("plot: a cost in proportion is a straight line that rises, and a constant one is level", () => {
  const [ours = [], reference = []] = points(plot(growth));
  const slopes = ours.slice(1).map(([x, y], index) => (y! - ours[index]![1]!) / (x! - ours[index]![0]!));
  expect(slopes[0]).toBeLessThan(0);
  expect(slopes[1]).toBeCloseTo(slopes[0]!, 2);
  expect(new Set(reference.map(([, y]) => y)).size).toBe(1);
});

test("plot: texts are escaped, and every point is within the picture", () => {
  const svg = plot(growth);
  expect(svg).toContain("<title>Split of &lt;large&gt; files</title>");
  for (const [x, y] of points(svg).flat()) {
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x).toBeLessThanOrEqual(640);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y).toBeLessThanOrEqual(330);
  }
});
