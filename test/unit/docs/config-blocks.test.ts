/** The pieces of a config that pages show are taken by the service. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { configSchema } from "../../../service/config/schema";

const docs = resolve(__dirname, "../../../docs");

test.each([
  ["service.md", 3],
  ["scale/hiveserver2-clusters.md", 1],
  ["scale/several-processes.md", 1],
])("docs/%s: every block of YAML is a part of a config", (page, count) => {
  const text = readFileSync(join(docs, page), "utf8");
  const blocks = [...text.matchAll(/^```yaml\n([^]*?)^```/gm)].map(([, block = ""]) => parse(block) as object);
  expect(blocks).toHaveLength(count);
  for (const block of blocks) expect(configSchema.parse(block)).toMatchObject({ data: expect.any(String) });
  expect(() => configSchema.parse({ ...blocks[0], unknown: 1 })).toThrow("unknown");
});
