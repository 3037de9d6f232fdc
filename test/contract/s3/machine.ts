/** A folder with data that an S3 server serves. */
import { readFileSync } from "node:fs";
import type { Location } from "../../../contract";
import { rangesName, type ObjectRange } from "../../../storage/s3-ranges";
import { Machine } from "../engine/harness";

/** A machine whose objects are those of an S3 server: a result may list the ranges that S3 is to copy. */
export class S3Machine extends Machine {
  override objects(folder: Location): Record<string, string> {
    const { [rangesName]: list = "[]", ...objects } = super.objects(folder);
    for (const { name, source, start, end } of JSON.parse(list) as ObjectRange[]) {
      objects[name] = readFileSync(this.storage.path(source)).subarray(start, end).toString();
    }
    return Object.fromEntries(Object.entries(objects).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}
