import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openState } from "../../../service/state/sqlite";
import { outputRecordsSuite } from "./output-records-suite";
import { stateSuite } from "./suite";

const create = async () => {
  const directory = mkdtempSync(join(tmpdir(), "dag-state-"));
  return {
    open: async () => openState(join(directory, "state.sqlite")),
    delete: async () => rmSync(directory, { recursive: true }),
  };
};

stateSuite(create);
outputRecordsSuite(create);
