import { expect, test } from "vitest";
import { progressLine } from "../../../../tools/quickstart/progress-line.mts";

const output = [
  "Updating (quickstart):\n\n@ updating",
  "..\n\u001b[32m +  dag:index:SelectQuery daily creating (0s)\u001b[0m\n",
  " +  dag:index:SelectQuery daily creating (1s) query 2: running, 40%\n",
  "@ updating....\n +  dag:index:SelectQuery daily created (2s)\nResources:\n    + 1 created\n",
];

/** What a terminal shows of a text in the end, line by line, and in between. */
function shown(written: readonly string[]): { lines: string[]; between: string[] } {
  const lines = [""];
  const between: string[] = [];
  for (const text of written) {
    if (text === "\r\u001b[K") {
      between.push(lines.pop()!);
      lines.push("");
    } else {
      const [first = "", ...more] = text.split("\n");
      lines[lines.length - 1] += first;
      lines.push(...more);
    }
  }
  return { lines, between };
}

test("progress: lines of what goes on are drawn over each other, what has ended stays", () => {
  const written: string[] = [];
  const write = progressLine({ columns: 40, write: (text) => written.push(text) });
  for (const text of output) write(text);
  const { lines, between } = shown(written);
  expect(lines).toEqual([
    "Updating (quickstart):",
    "",
    " +  dag:index:SelectQuery daily created (2s)",
    "Resources:",
    "    + 1 created",
    "",
  ]);
  expect(between).toEqual(
    [
      "@ updating..",
      "+  dag:index:SelectQuery daily creating (0",
      "+  dag:index:SelectQuery daily creating (1",
      "@ updating....",
    ].map((line) => line.slice(0, 39)),
  );
});
