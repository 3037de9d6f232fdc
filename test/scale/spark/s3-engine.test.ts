import { engineSuite } from "../../contract/engine/suite";
import { useEngines } from "../harness";

const engines = useEngines("spark", "s3");

engineSuite({
  machine: engines.machine,
  get engine() {
    return engines.remote;
  },
});
