import { serviceSuite } from "../suites/service";

serviceSuite("spark", {
  begins: /Spark runs the statement/,
  begun: /Spark runs the statement/,
  done: /running on spark[\s\S]*Spark runs the statement as [-0-9a-f]{36}[\s\S]*stored/,
});
