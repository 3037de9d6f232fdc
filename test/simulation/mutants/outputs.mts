/** Changes of how results are published, and what they leave. */
import type { Mutant } from "./mutant.mts";

const folders = "service/state/outputs/folders.ts";
const s3 = "service/state/outputs/s3.ts";
const s3Publication = "service/state/outputs/s3-publication.ts";

export const outputsMutants: readonly Mutant[] = [
  {
    name: "start: deletes the folders of running queries",
    file: folders,
    from: 'const isKept = kind !== "attempt" && queryId !== undefined && ids.has(queryId);',
    to: "const isKept = false;",
  },
  {
    name: "publish: a result is not flushed",
    file: folders,
    from: "          await syncFolder(dirname(to));\n        }\n      }",
    to: "        }\n      }",
  },
  {
    name: "publish: an earlier result that went back is not flushed",
    file: folders,
    from: "        try {\n          replaceFolder(from, to, old);\n        } finally {",
    to: "        replaceFolder(from, to, old);\n        {",
  },
  {
    name: "publish: a table is not flushed",
    file: folders,
    from: "      await syncFolder(dirname(to));\n    });\n  }\n\n  discard(",
    to: "    });\n  }\n\n  discard(",
  },
  {
    name: "publish: the old result stays in tmp/",
    file: folders,
    from: "      }\n      await removeFolder(old);\n    });",
    to: "      }\n    });",
  },
  {
    name: "S3: the manifest is made again by each try",
    file: s3Publication,
    from: "(await storedManifest(this.publication)) ?? (await this.#writeManifest())",
    to: "await this.#writeManifest()",
  },
  {
    name: "S3: the old result stays beside the new one",
    file: s3Publication,
    from: "if (!isNew) await this.storage.deleteFolder(target);",
    to: "",
  },
  {
    name: "S3: what was published is published again",
    file: s3,
    from: "if (!record || record.published) {",
    to: "if (!record) {",
  },
  {
    name: "S3: an attempt is not recorded as published",
    file: s3Publication,
    from: "if (!(await records.setPublished(record, publishedBy))) throw new AttemptLost();",
    to: "",
  },
  {
    name: "S3: a publication is not repeated",
    file: "storage/s3-patience.ts",
    from: "if (signal.aborted || !isTransientS3Error(error) || performance.now() > end) throw error;",
    to: "throw error;",
  },
  {
    name: "S3: late objects stay",
    file: s3,
    from: "if (!output.published) this.#removeLater(output);",
    to: "if (!output.published) await this.options.records.remove(output);",
  },
  {
    name: "S3: the marker is forgotten",
    file: s3,
    from: "for (const output of published) this.#removeLater(output);\n      throw error;",
    to: "for (const output of published) await this.options.records.remove(output);\n      throw error;",
  },
  {
    name: "S3: a start deletes no leftovers",
    file: s3,
    from: "for (const output of await this.options.records.ended()) {",
    to: "for (const output of [] as OutputRecord[]) {",
  },
  {
    name: "publish: a rename that fails leaves no old result",
    file: "service/state/outputs/local-folders.ts",
    from: "if (exists(old)) renameSync(old, to);",
    to: "",
  },
  {
    name: "end: the marker stays",
    file: folders,
    from: "rmSync(marker, { force: true });",
    to: "",
  },
];
