/** The inputs and outputs of SplitTable. */
import * as z from "zod";
import { fields } from "../../../contract";
import { freshnessInputs } from "../freshness/differences";
import { expectationInput, expectationOutput } from "../freshness/expectation";
import { followedObjectsOutputs, rerunOnInputChangeInput } from "../freshness/follow-inputs";
import { commonInputs, commonOutputs } from "../queries/query-resource";
import { objectsSchema } from "../queries/results";
import { maxLabelLength } from "../queries/submission-token";
import { always, optional, required, sometimes, type InputsOf, type OutputsOf } from "../schema/properties";

export const inputs = {
  clusterName: required(fields.clusterName),
  inputObjectKeys: required(fields.inputObjectKeys, {
    description:
      "Objects to split, each `dag://<bucket>/<path>`, uncompressed or compressed with gzip. With `dag:storage`, `*` in a " +
      "path stands for any text without `/`: `dag://raw/2026/*.csv` is expanded, sorted by name, when the table is made.",
  }),
  outputDatabase: required(fields.outputDatabase),
  outputTable: optional(fields.outputTable, {
    computed: true,
    description:
      "Name of the table to create. Its objects are in the folder `dag://<outputDatabase>/<outputTable>/`. Default: the " +
      "resource's name and 7 random characters.",
  }),
  inputFormat: optional(fields.inputFormat, { fallback: "csv" }),
  schema: optional(fields.schema, {
    computed: true,
    description:
      "Columns of the table as `<type> <name>, …`, with Hive types. Every row is then data, also the first: remove a header " +
      "row from the inputs, or omit `schema`. With `dag:storage`, a preview warns of one. Default: inferred from the data.",
  }),
  label: optional(fields.label, {
    description: `Label of the query, at most ${maxLabelLength} characters, because \`#\` and a token of 12 characters are added.`,
  }),
  ...commonInputs,
  rerunOnInputChange: rerunOnInputChangeInput(
    "Set to `true` to rebuild the table when its input objects changed: `pulumi refresh` and `pulumi up --refresh` " +
      "compare their names, sizes and etags (times of modification for files). Requires `dag:storage`. Default `false`.",
  ),
  ...expectationInput,
  ...freshnessInputs,
};

export const outputs = {
  ...commonOutputs,
  schema: sometimes(z.string(), "Columns of the table as `<type> <name>, …`."),
  location: always(z.string(), "Folder of the table, `dag://<outputDatabase>/<outputTable>/`.", {
    quotesInputs: true,
    fromInputs: true,
  }),
  qualifiedName: always(z.string(), "Name of the table for HiveQL statements, `<outputDatabase>.<outputTable>`.", {
    quotesInputs: true,
    fromInputs: true,
  }),
  result: sometimes(objectsSchema, "Objects of the table. Requires `dag:storage`.", { quotesInputs: true }),
  adopted: sometimes(
    z.boolean(),
    "True when a split of a resource of another name or stack, with identical inputs, made the table. A purge keeps its objects.",
  ),
  ...followedObjectsOutputs,
  ...expectationOutput,
};

export type SplitTableInputs = InputsOf<typeof inputs>;
export type SplitTableState = OutputsOf<typeof outputs>;
