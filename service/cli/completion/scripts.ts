/** The scripts with which shells complete `dag-service`. */
import type { CompletedCommand, CompletedProgram, Values } from "./words";

export const shells = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof shells)[number];

/** Returns the script for a shell. */
export function completionScript(shell: Shell, program: CompletedProgram): string {
  return `${{ bash, zsh, fish }[shell](program).join("\n")}\n`;
}

function bash({ own, commands }: CompletedProgram): string[] {
  return [
    "# Completes dag-service in bash: source <(dag-service completion bash)",
    "_dag_service() {",
    "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= word",
    "  COMPREPLY=()",
    ...commandOf('"${COMP_WORDS[@]:1:COMP_CWORD-1}"', commands),
    "  local offered= kind=words",
    ...decision([own, ...commands]),
    "  case $kind in",
    '    words) COMPREPLY=($(compgen -W "$offered" -- "$current")) ;;',
    '    files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;',
    "  esac",
    "}",
    "complete -F _dag_service dag-service",
  ];
}

function zsh({ own, commands }: CompletedProgram): string[] {
  return [
    "# Completes dag-service in zsh: source <(dag-service completion zsh), after compinit",
    "_dag_service() {",
    "  local current=${words[CURRENT]} before=${words[CURRENT-1]} command= word",
    '  local -a given=("${(@)words[2,CURRENT-1]}")',
    ...commandOf('"${given[@]}"', commands),
    "  local offered= kind=words",
    ...decision([own, ...commands]),
    "  case $kind in",
    "    words) compadd -- ${=offered} ;;",
    "    files) _files ;;",
    "  esac",
    "}",
    "compdef _dag_service dag-service",
  ];
}

/** Lines that find the command among the words before the one that is completed. */
function commandOf(words: string, commands: readonly CompletedCommand[]): string[] {
  return [
    `  for word in ${words}; do`,
    "    case $word in",
    `      ${commands.map(({ name }) => name).join("|")}) command=$word; break ;;`,
    "    esac",
    "  done",
  ];
}

/** Lines that set `offered` and `kind` by the command and the word before; bash and zsh read them alike. */
function decision(commands: readonly CompletedCommand[]): string[] {
  const set = (values: Values) =>
    typeof values === "string" ? `kind=${values}` : `kind=words; offered="${values.join(" ")}"`;
  return [
    '  case "$command $before" in',
    ...commands.flatMap(({ name, options }) =>
      options.flatMap(({ name: option, values }) =>
        values === undefined ? [] : [`    "${name} ${option}") ${set(values)} ;;`],
      ),
    ),
    '    *) case "$command $current" in',
    ...commands.map(({ name, options }) => `      "${name} -"*) ${set(options.map((option) => option.name))} ;;`),
    ...commands.map(({ name, values }) => `      "${name} "*) ${set(values)} ;;`),
    "    esac ;;",
    "  esac",
  ];
}

function fish({ own, commands }: CompletedProgram): string[] {
  const line = (condition: string, ...rest: string[]) =>
    ["complete -c dag-service", `-n '${condition}'`, ...rest].join(" ");
  const quoted = (text: string) => `'${text.replace(/[\\']/g, String.raw`\$&`)}'`;
  const valuesOf = (values: Values) => {
    if (values === "files") return "-r -F";
    return values === "none" ? "-x" : `-x -a ${quoted(values.join(" "))}`;
  };
  const optionsOf = (condition: string, { options }: CompletedCommand) =>
    options.map(({ name, description, values }) =>
      line(
        condition,
        `-l ${name.replace(/^--/, "")}`,
        `-d ${quoted(description)}`,
        ...(values === undefined ? [] : [valuesOf(values)]),
      ),
    );
  return [
    "# Completes dag-service in fish: dag-service completion fish | source",
    "complete -c dag-service -f",
    ...commands.map(({ name, description }) =>
      line("__fish_use_subcommand", `-a ${name}`, `-d ${quoted(description)}`),
    ),
    ...optionsOf("__fish_use_subcommand", own),
    ...commands.flatMap((command) => {
      const condition = `__fish_seen_subcommand_from ${command.name}`;
      const { values } = command;
      const argumentLines =
        values === "files"
          ? [line(condition, "-F")]
          : values === "none"
            ? []
            : [line(condition, `-a ${quoted(values.join(" "))}`)];
      return [...argumentLines, ...optionsOf(condition, command)];
    }),
  ];
}
