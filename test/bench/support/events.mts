/** Writes a deterministic event log. */
import { closeSync, openSync, writeSync } from "node:fs";

/** The quoted fields: none, one with a comma in every tenth row, one with a newline in every hundredth, or all. */
export type Quoting = "none" | "some" | "newlines" | "all";

/** Writes a CSV file of at least this many bytes and returns its size. */
export function writeEvents(path: string, bytes: number, quoting: Quoting): number {
  const rows: string[] = [];
  for (let index = 0; index < 20_000; index++) rows.push(row(index, quoting));
  const block = Buffer.from(rows.join(""));
  const file = openSync(path, "w");
  let written = 0;
  while (written < bytes) written += writeSync(file, block);
  closeSync(file);
  return written;
}

function row(index: number, quoting: Quoting): string {
  const fields = [
    String(1_000_000 + index),
    `2026-11-${String(1 + (index % 28)).padStart(2, "0")} 12:${String(index % 60).padStart(2, "0")}:00`,
    ["view", "click", "buy", "leave"][index % 4]!,
    `user-${(index * 7919) % 10_007}`,
    `/shop/${(index * 31) % 977}/item-${(index * 17) % 5003}`,
    ((index * 37) % 10_000) / 100 + "",
    `note ${index}`,
  ];
  if (quoting === "some" && index % 10 === 0) fields[6] = `"note ${index}, with a comma"`;
  if (quoting === "newlines" && index % 100 === 0) fields[6] = `"note ${index}\nof two lines"`;
  if (quoting === "all") return `${fields.map((field) => `"${field}"`).join(",")}\n`;
  return `${fields.join(",")}\n`;
}
