/** Option of a command: `--name`, or `--name VALUE` when `value` names its value. */
export interface Option {
  value?: string
  /** One line of the help, without a full stop. */
  summary: string
}

export interface Argument {
  name: string
  summary: string
  isOptional?: boolean
  /** Words that it can be, for completion. */
  choices?: readonly string[]
}

export interface Example {
  line: string
  summary: string
}

/** Options and arguments as given. */
export interface Values<Name extends string = string> {
  /** Null when not given. */
  text(name: Name): string | null
  flag(name: Name): boolean
  /** Null when not given. */
  argument(index: number): string | null
  isJson: boolean
}

export interface CommandContext {
  env: Readonly<Record<string, string | undefined>>
  /** Diagnostics: one line on standard error. */
  say(line: string): void
  /** One line on standard output, before the result. */
  print(line: string): void
  /** How far long work is: replaces the last such line, on a terminal only. */
  progress(line: string): void
  /** Whether standard output is a terminal. */
  isTerminal: boolean
  /** All commands. */
  commands: readonly Command[]
  /** Aborted by SIGINT or SIGTERM, which no longer end the process at once after this call, and by a cut standard output. */
  stopSignal(): AbortSignal
}

export interface CommandResult {
  /** For `--json`; undefined prints nothing. */
  document: unknown
  /** For a person; an empty text prints nothing. */
  text: string
  /** Exit code 1 beside the result. */
  isFailure?: boolean
}

/** Command of `countinghouse`. Its file is loaded for every command: load what only `run` needs in `run`. */
export interface Command<Name extends string = string> {
  name: string
  /** One line of the list of commands, without a full stop. */
  summary: string
  /** Paragraphs of the command's own help. */
  description: readonly string[]
  arguments?: readonly Argument[]
  options: Readonly<Record<Name, Option>>
  examples: readonly Example[]
  /** Returns null if everything was printed and the process ends by itself. */
  run(values: Values<Name>, context: CommandContext): Promise<CommandResult | null>
}

/** Declares a command, so that `run` may read only options that exist. */
export function defineCommand<const Name extends string>(command: Command<Name>): Command<Name> {
  return command
}

/** Thrown when a command is used wrongly: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
