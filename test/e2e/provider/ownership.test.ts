import { describe } from "vitest";
import { dag } from "./harness";
import { testOwnership } from "./ownership-cases";

describe("purge", () => {
  testOwnership({
    table: (name, args, options) => new dag.SplitTable(name, args, options),
    query: (name, args, options) => new dag.SelectQuery(name, args, options),
  });
});
