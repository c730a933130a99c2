import { parseArgs } from 'node:util'
import { findNearest } from '../../model/texts/nearest.ts'
import { type Command, UsageError, type Values } from './command.ts'

/** Options of every command. */
export const GLOBAL_OPTIONS = { json: 'prints one JSON document on standard output', help: 'explains the command' } as const

/** More of an API key than the part that is shown to name it. */
const API_KEY = /\bch_(live|test)_[0-9A-Za-z]{9}/

/** Throws `UsageError` for an API key among the arguments, wherever it stands: before a message can print it. */
export function refuseKeys(args: readonly string[]): void {
  if (!args.some((text) => API_KEY.test(text))) return
  throw new UsageError(
    'API keys are not given as arguments: other users can read them there. Revoke this one, and give another to countinghouse login, which asks for it, or in COUNTINGHOUSE_API_KEY.',
  )
}

/**
 * Parses the arguments after a command's name. Throws `UsageError` for an unknown option, a missing or superfluous
 * value, and missing or superfluous arguments.
 */
export function readArguments(command: Command, args: readonly string[]): Values {
  const known: Record<string, { type: 'string' | 'boolean'; short?: string }> = {
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  }
  for (const [name, { value }] of Object.entries(command.options)) known[name] = { type: value === undefined ? 'boolean' : 'string' }
  const { tokens } = parseArgs({ args: [...args], options: known, strict: false, allowPositionals: true, tokens: true })
  const given = new Map<string, string>()
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value } = token
    const option = Object.hasOwn(known, name) ? known[name] : undefined
    if (!option) throw new UsageError(explainUnknown(rawName, Object.keys(known)))
    if (option.type === 'boolean' && value !== undefined) throw new UsageError(`${rawName} takes no value`)
    // An option behind one without its value, which Node takes for the value.
    if (option.type === 'string' && (value === undefined || value === '' || (!token.inlineValue && value.startsWith('--'))))
      throw new UsageError(`${rawName} has no value; wanted is ${rawName} ${command.options[name]?.value ?? 'VALUE'}`)
    if (given.has(name)) throw new UsageError(`${rawName} is given twice`)
    given.set(name, value ?? '')
  }
  if (!given.has('help')) checkPositionals(command, positionals)
  return {
    text: (name) => given.get(name) ?? null,
    flag: (name) => given.has(name),
    argument: (index) => positionals[index] ?? null,
    isJson: given.has('json'),
  }
}

function checkPositionals(command: Command, given: readonly string[]): void {
  const wanted = command.arguments ?? []
  const missing = wanted.slice(given.length).find(({ isOptional }) => !isOptional)
  if (missing) throw new UsageError(`${missing.name} is missing: ${missing.summary}`)
  const extra = given[wanted.length]
  if (extra !== undefined) throw new UsageError(`${JSON.stringify(extra)} is one argument too many`)
}

function explainUnknown(rawName: string, known: readonly string[]): string {
  const near = findNearest(rawName.replace(/^-+/, ''), known)
  return `there is no option ${rawName}${near === null ? '' : `; did you mean --${near}?`}`
}
