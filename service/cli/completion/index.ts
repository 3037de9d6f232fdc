/** `dag-service completion SHELL`: the script with which a shell completes the program's commands and options. */
import { Argument, type Command } from "commander";
import { writeOutput } from "../standard-output";
import { completionScript, shells, type Shell } from "./scripts";
import { completedProgram } from "./words";

/** Adds the command to the program, whose other commands have been added. */
export function addCompletionCommand(program: Command): void {
  program
    .command("completion")
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .description("Prints a script that completes commands and options: source <(dag-service completion bash)")
    .action((shell: Shell) => {
      writeOutput(completionScript(shell, completedProgram(program)));
    });
}
