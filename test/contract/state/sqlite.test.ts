import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openState } from "../../../service/state/sqlite";
import { stateSuite } from "./suite";

stateSuite(async () => {
  const directory = mkdtempSync(join(tmpdir(), "dag-state-"));
  return {
    open: async () => openState(join(directory, "state.sqlite")),
    delete: async () => rmSync(directory, { recursive: true }),
  };
});
