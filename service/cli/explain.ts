/** `dag-service explain CODE`: what an error code of the API means, what causes it and what to do. */
import type { Command } from "commander";
import {
  errorCodes,
  errorTable,
  isErrorCode,
  operationNames,
  operations,
  printable,
  type ErrorCode,
} from "../../contract";
import { errorPage } from "../../contract/error-page";
import { errorExplanations } from "../../contract/error-explanations";
import { StartError } from "../config/start-error";
import { writeOutput } from "./standard-output";

/** Adds the command to the program. */
export function addExplainCommand(program: Command): void {
  program
    .command("explain")
    .argument("[code]", "an error code, such as ClusterNotFound; without one, all codes are listed")
    .description("Prints what an error code of the API means, what causes it and what to do.")
    .action((code: string | undefined) => {
      writeOutput(code === undefined ? listOfCodes() : explanation(known(code)));
    });
}

/** Returns the text about a code. With DAG_DOCS it ends with the address of the code's page. */
export function explanation(code: ErrorCode): string {
  const { status, meaning } = errorTable[code];
  const { cause, remedy } = errorExplanations[code];
  const answeredBy = operationsOf(code);
  const page = errorPage(code);
  return [
    `${code} (HTTP ${status}): ${meaning}`,
    `Cause: ${cause}`,
    `Remedy: ${remedy}`,
    `Answered by: ${answeredBy.length === 0 ? "any operation" : answeredBy.join(", ")}`,
    ...(page === undefined ? [] : [`Page: ${page}`]),
    "",
  ].join("\n");
}

function operationsOf(code: ErrorCode): string[] {
  return operationNames.filter((name) => (operations[name].errors as readonly string[]).includes(code));
}

function listOfCodes(): string {
  const width = Math.max(...errorCodes.map(({ length }) => length));
  return errorCodes.map((code) => `${code.padEnd(width)}  ${errorTable[code].meaning}\n`).join("");
}

/** @throws {StartError} for a code that the API does not have */
function known(code: string): ErrorCode {
  if (isErrorCode(code)) return code;
  const same = errorCodes.find((each) => each.toLowerCase() === code.toLowerCase());
  if (same !== undefined) return same;
  throw new StartError(`"${printable(code)}" is no error code of the API: dag-service explain lists all of them`);
}
