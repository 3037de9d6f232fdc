import { serviceSuite } from "../suites/service";

serviceSuite("hive", {
  begins: /Compiling command/,
  begun: /Running Dag|Executing command/,
  done: /running on hive[\s\S]*Completed executing command/,
});
