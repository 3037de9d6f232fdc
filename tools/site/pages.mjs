/** The pages of the site, in the order in which readers come to them, and the files that they offer. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../setup/layout.mjs";

/**
 * @typedef {object} Page
 * @property {string} title as the site's menu has it
 * @property {string} file in docs/
 */

/**
 * @typedef {object} Group
 * @property {string} title
 * @property {boolean} [isReference] true for pages that are looked into, and may be long
 * @property {Page[]} pages
 */

/** @type {Group[]} */
export const groups = [
  {
    title: "Start",
    pages: [
      { title: "What it is", file: "index.md" },
      { title: "The first stack", file: "start.md" },
      { title: "Install and configure", file: "installation-configuration.md" },
      { title: "Dynamic provider or plugin", file: "choosing.md" },
    ],
  },
  {
    title: "Understand",
    pages: [
      { title: "A resource's life", file: "understand/resource.md" },
      { title: "A query's life", file: "understand/query.md" },
      { title: "What runs again", file: "freshness.md" },
    ],
  },
  {
    title: "Do",
    pages: [
      { title: "Recipes", file: "do/recipes.md" },
      { title: "Stacks, secrets, CI", file: "do/stacks.md" },
      { title: "Test a program", file: "do/testing.md" },
      { title: "Use the console", file: "console.md" },
      { title: "In the terminal", file: "do/terminal.md" },
    ],
  },
  {
    title: "Run",
    pages: [
      { title: "For a team", file: "run/team.md" },
      { title: "Backup, upgrade, size", file: "run/operations.md" },
      { title: "Alerts, dashboard, log", file: "run/monitoring.md" },
      { title: "Security", file: "security.md" },
      { title: "Outgrowing one machine", file: "scale.md" },
      { title: "Several processes", file: "scale/several-processes.md" },
      { title: "Buckets on S3", file: "scale/s3.md" },
    ],
  },
  {
    title: "Reference",
    isReference: true,
    pages: [
      { title: "Resources", file: "resources.md" },
      { title: "SplitTable", file: "resources/split-table.md" },
      { title: "SelectQuery", file: "resources/select-query.md" },
      { title: "ClusterRestart", file: "resources/cluster-restart.md" },
      { title: "ClusterLogExport", file: "resources/cluster-log-export.md" },
      { title: "The dynamic provider", file: "resources/dynamic-provider.md" },
      { title: "The service", file: "service.md" },
      { title: "The API", file: "api.md" },
      { title: "Error codes", file: "errors.md" },
      { title: "The client", file: "client.md" },
      { title: "HiveQL", file: "hiveql.md" },
      { title: "Functions", file: "hiveql/functions.md" },
      { title: "The embedded engine", file: "engine.md" },
      { title: "Clusters on Hive or Spark", file: "scale/hiveserver2-clusters.md" },
      { title: "Guarantees", file: "guarantees.md" },
      { title: "Tested behaviour of the API", file: "api-support.md" },
      { title: "Performance", file: "performance.md" },
      { title: "Inside a query's time", file: "performance/inside.md" },
      { title: "Scale, measured and tested", file: "scale/measured.md" },
      { title: "Releasing", file: "releasing.md" },
    ],
  },
  {
    title: "Why",
    pages: [{ title: "Beside other tools", file: "why.md" }],
  },
  {
    title: "Troubleshooting",
    pages: [
      { title: "By symptom", file: "troubleshooting.md" },
      { title: "Refused statements", file: "refusals.md" },
    ],
  },
  {
    title: "Questions and terms",
    pages: [
      { title: "Questions", file: "help/faq.md" },
      { title: "Glossary", file: "help/glossary.md" },
    ],
  },
];

/** Pages of docs/ that are for another site. */
export const elsewhere = ["_index.md"];

/** Files beside the pages that a reader downloads, such as a config: their paths in docs/. */
export const downloads = ["run/files", "scale"].flatMap((folder) =>
  readdirSync(join(root, "docs", folder))
    .filter((name) => !name.endsWith(".md"))
    .map((name) => `${folder}/${name}`),
);

/** Words of prose that a page may have which is not a reference. */
export const maxWords = 1500;
