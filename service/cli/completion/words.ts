/** What a shell can complete after `dag-service`, as the commands themselves declare it. */
import type { Argument, Command, Option } from "commander";
import { errorCodes } from "../../../contract";

/** What a value is completed with: words, the names of files and folders, or nothing. */
export type Values = readonly string[] | "files" | "none";

export interface CompletedOption {
  /** With its dashes. */
  readonly name: string;
  readonly description: string;
  /** Undefined for an option that takes no value. */
  readonly values: Values | undefined;
}

export interface CompletedCommand {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CompletedOption[];
  /** What its arguments are completed with. */
  readonly values: Values;
}

/** The program itself, which is the command without a name, and its commands. */
export interface CompletedProgram {
  readonly own: CompletedCommand;
  readonly commands: readonly CompletedCommand[];
}

export function completedProgram(program: Command): CompletedProgram {
  const commands = program.commands.map(completed);
  return { own: { ...completed(program), name: "", values: commands.map(({ name }) => name) }, commands };
}

function completed(command: Command): CompletedCommand {
  return {
    name: command.name(),
    description: firstSentence(command.description()),
    options: [
      ...command.options.filter(({ hidden }) => !hidden).map(completedOption),
      { name: "--help", description: "display help for command", values: undefined },
    ],
    values: command.registeredArguments.map(valuesOf).find((values) => values !== "none") ?? "none",
  };
}

function completedOption(option: Option): CompletedOption {
  const takesValue = option.required || option.optional;
  return {
    name: option.long ?? option.flags,
    description: firstSentence(option.description),
    values: takesValue ? (option.argChoices ?? kindOf(/<(.+)>/.exec(option.flags)?.[1] ?? "")) : undefined,
  };
}

function valuesOf(argument: Argument): Values {
  if (argument.name() === "code") return errorCodes;
  return argument.argChoices ?? kindOf(argument.name().toUpperCase());
}

function kindOf(placeholder: string): Values {
  return /^(?:FILE|DIR|FOLDER)$/.test(placeholder) ? "files" : "none";
}

/** Descriptions are shown in one line beside a word. */
function firstSentence(text: string): string {
  return (/^.*?(?=\.\s|\.$|[;:(]|$)/s.exec(text)?.[0] ?? text).replace(/\s+/g, " ").trim();
}
