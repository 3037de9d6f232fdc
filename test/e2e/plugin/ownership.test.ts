import { describe } from "vitest";
import { testOwnership } from "../provider/ownership-cases";
import { PluginResource } from "./resources";

describe("purge", () => {
  testOwnership({
    table: (name, args, options) => new PluginResource("SplitTable", name, { ...args }, options),
    query: (name, args, options) => new PluginResource("SelectQuery", name, { ...args }, options),
  });
});
