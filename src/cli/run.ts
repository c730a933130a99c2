import { RELEASE } from '../model/release.ts'
import { findNearest } from '../model/texts/nearest.ts'
import { ConfigError } from '../process/settings/config.ts'
import { readArguments, refuseKeys } from './command/arguments.ts'
import { type Command, type CommandContext, UsageError } from './command/command.ts'
import { explainFailure } from './command/file-faults.ts'
import { commandHelp, listHelp, usageOf } from './command/help.ts'
import { Output, Stopped } from './command/output.ts'
import { COMMANDS, DEVELOPER_COMMANDS, OPERATOR_COMMANDS } from './commands.ts'

/** Exit code if the command ends here; null if it continues, or ends the process itself. */
type ExitCode = 0 | 1 | 2 | null

/** As the help lists them. */
const GROUPS = {
  'For operators, with the settings of the deployment:': OPERATOR_COMMANDS,
  'For developers, with the address of a deployment and an API key:': DEVELOPER_COMMANDS,
  'In the shell:': COMMANDS.filter((one) => !OPERATOR_COMMANDS.includes(one) && !DEVELOPER_COMMANDS.includes(one)),
}

const LIST_HINT = 'countinghouse help lists the commands.'

const output = new Output()

const context: CommandContext = {
  env: process.env,
  say: (line) => output.say(line),
  print: (line) => output.print(line),
  progress: (line) => output.progress(line),
  isTerminal: process.stdout.isTTY === true,
  commands: COMMANDS,
  stopSignal: () => {
    const stopping = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort(new Stopped()))
    output.onCut((reason) => stopping.abort(reason))
    return stopping.signal
  },
}

async function run(args: readonly string[]): Promise<ExitCode> {
  refuseKeys(args)
  const [name, ...rest] = args
  if (name === '--version') return print({ version: RELEASE }, RELEASE, rest.includes('--json'))
  if (name === undefined) {
    context.say(listHelp(GROUPS))
    return 2
  }
  if (name === 'help' || name === '--help' || name === '-h') return printHelp(rest)
  if (name.startsWith('-')) throw new UsageError(`${name} stands behind a command: countinghouse COMMAND ${name}\n${LIST_HINT}`)
  const command = findCommand(name)
  try {
    const values = readArguments(command, rest)
    if (values.flag('help')) return print(toDocument(command), commandHelp(command), values.isJson)
    const result = await command.run(values, context)
    if (result === null) return null
    print(result.document, result.text, values.isJson)
    return result.isFailure ? 1 : 0
  } catch (error) {
    if (error instanceof UsageError) error.message += `\n${usageOf(command)}\ncountinghouse help ${command.name} explains it.`
    throw error
  }
}

function printHelp(args: readonly string[]): ExitCode {
  const isJson = args.includes('--json')
  const name = args.find((word) => word !== '--json')
  if (name === undefined) return print(COMMANDS.map(toDocument), listHelp(GROUPS), isJson)
  const command = findCommand(name)
  return print(toDocument(command), commandHelp(command), isJson)
}

function findCommand(name: string): Command {
  const command = COMMANDS.find((one) => one.name === name)
  if (command) return command
  const near = findNearest(
    name,
    COMMANDS.map((one) => one.name),
  )
  throw new UsageError(`there is no command ${JSON.stringify(name)}${near === null ? '' : `; did you mean ${near}?`}\n${LIST_HINT}`)
}

function toDocument({ run: _, ...declared }: Command): unknown {
  return declared
}

function print(document: unknown, text: string, isJson: boolean): 0 {
  if (isJson && document !== undefined) output.print(JSON.stringify(document))
  else if (!isJson && text !== '') output.print(text)
  return 0
}

try {
  output.end(await run(process.argv.slice(2)))
} catch (error) {
  const message = explainFailure(error)
  context.say(message)
  if (process.argv.includes('--json')) output.print(JSON.stringify({ error: message }))
  output.end(error instanceof ConfigError || error instanceof UsageError ? 2 : 1)
}
