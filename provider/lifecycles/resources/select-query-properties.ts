/** The inputs and outputs of SelectQuery. */
import * as z from "zod";
import { fields } from "../../../contract";
import { freshnessInputs } from "../freshness/differences";
import { expectationInput, expectationOutput } from "../freshness/expectation";
import { followedObjectsOutputs, rerunOnInputChangeInput } from "../freshness/follow-inputs";
import { commonInputs, commonOutputs } from "../queries/query-resource";
import { maxRows, resultSchema } from "../queries/results";
import { maxLabelLength } from "../queries/submission-token";
import { always, optional, required, sometimes, type InputsOf, type OutputsOf } from "../schema/properties";

const rowsRule = `it must be a whole number from 0 to ${maxRows}`;

export const inputs = {
  clusterName: required(fields.clusterName),
  query: required(fields.query),
  outputResourcePath: required(fields.outputResourcePath),
  outputFormat: optional(fields.outputFormat, { fallback: "csv" }),
  label: optional(fields.label, {
    description: `Label of the query, at most ${maxLabelLength} characters, because \`#\` and a token of 12 characters are added.`,
  }),
  ...commonInputs,
  resultRows: optional(z.int({ error: rowsRule }).min(0, rowsRule).max(maxRows, rowsRule), {
    change: "update",
    fallback: 0,
    description: `Number of the result's first rows to store in \`result.rows\`, 0 to ${maxRows}. Requires \`dag:storage\`. Default 0.`,
  }),
  rerunWithTables: optional(z.boolean({ error: "it must be true or false" }), {
    change: "update",
    fallback: true,
    description:
      "Set to `false` to keep the result when a table that the query reads was rebuilt by a SplitTable or a SelectQuery " +
      "of the program. By default the query runs again. Default `true`.",
  }),
  rerunOnInputChange: rerunOnInputChangeInput(
    "Set to `true` to run the query again when the objects changed of a table that it reads and that no resource of the " +
      "program makes: `pulumi refresh` and `pulumi up --refresh` compare their names, sizes and etags (times of " +
      "modification for files). Requires `dag:storage`. Default `false`.",
  ),
  ...expectationInput,
  ...freshnessInputs,
};

export const outputs = {
  ...commonOutputs,
  stage: always(z.int(), "Number of the last stage that ran."),
  location: always(z.string(), "Folder of the result, ending in `/`.", { quotesInputs: true, fromInputs: true }),
  log: sometimes(
    z.string(),
    "Last 64 KiB of the log, stored when the query finished, because a restart of the cluster deletes the log.",
    {
      quotesInputs: true,
    },
  ),
  result: sometimes(resultSchema, "Objects of the result and its first rows. Requires `dag:storage`.", {
    quotesInputs: true,
  }),
  ...followedObjectsOutputs,
  ...expectationOutput,
};

export type SelectQueryInputs = InputsOf<typeof inputs>;
export type SelectQueryState = OutputsOf<typeof outputs>;
