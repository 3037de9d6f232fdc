import { engineSuite } from "../../contract/engine/suite";
import { useEngines } from "../harness";

const engines = useEngines("hive", "s3");

engineSuite(
  {
    machine: engines.machine,
    get engine() {
      return engines.remote;
    },
  },
  // versitygw cannot copy the mark of an empty folder, which is what Hive moves.
  { emptyResults: true },
);
