import { expect, test } from "vitest";
import { logEvents, noteLine, notesIn } from "../../../contract";

const at = "2026-01-02T03:04:05.678Z";
const warning = { severity: "warning", text: "one line\nand another: so" } as const;
const note = { severity: "note", text: "how it was read" } as const;

test("notesIn: finds what noteLine wrote among the events of a log, each once", () => {
  const lines = ["select to dag://out/x/ as csv\nSELECT 'warning: mine'\nwarning: of the statement", noteLine(note)];
  const log = [...lines, noteLine(warning), "wrote 3 rows", noteLine(note)].map((line) => `${at} ${line}\n`).join("");
  expect(notesIn(log)).toEqual([note, warning]);
});

test("logEvents: an event may have several lines, and an empty log has none", () => {
  expect(logEvents(`${at} one\ntwo\n${at} three\n`)).toEqual(["one\ntwo", "three"]);
  expect([logEvents(""), notesIn("")]).toEqual([[], []]);
});
