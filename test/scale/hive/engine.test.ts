import { engineSuite } from "../../contract/engine/suite";
import { useEngines } from "./harness";

const engines = useEngines();

engineSuite({
  machine: engines.machine,
  get engine() {
    return engines.hive;
  },
});
