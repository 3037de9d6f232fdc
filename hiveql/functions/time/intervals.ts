/** Functions that read intervals from texts. */
import { macro } from "../../sql/fragment";
import { isText, isVoid, typeName, types } from "../../tree/types";
import { scalar, type ScalarFunction } from "../define";

const kinds = [
  ["interval_year_month", types.yearMonth, "a text such as `1-2`", "hive_text_year_month"],
  ["interval_day_time", types.dayTime, "a text such as `1 02:03:04.5`", "hive_text_day_time"],
] as const;

export const intervalFunctions: readonly ScalarFunction[] = kinds.map(([name, type, text, parse]) =>
  scalar(name, {
    signature: `${name}(string or ${type.kind})`,
    doc: `reads ${text}; other texts are NULL`,
    takes: ["primitive"],
    returns: type,
    emit: ([value], call) => {
      if (value.type.kind === type.kind) return value;
      if (!isText(value.type) && !isVoid(value.type))
        throw call.invalid(`expects a string or ${type.kind}, got ${typeName(value.type)}`);
      return macro(parse, call.convert(value, types.string));
    },
  }),
);
