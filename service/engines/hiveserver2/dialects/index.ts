/** The dialects by the name that the config has. */
import type { Dialect } from "../dialect";
import type { Reader } from "../../prepared-statement";
import { hiveDialect } from "./hive";
import { sparkDialect } from "./spark";

/** Returns a dialect. @param ui URL of the web interface of a Spark, which reports the progress */
export const dialectOf = (name: Reader, ui?: string): Dialect => (name === "hive" ? hiveDialect : sparkDialect(ui));
