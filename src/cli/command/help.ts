import { GLOBAL_OPTIONS } from './arguments.ts'
import type { Command } from './command.ts'

const WIDTH = 100

/** Exit codes of every command. */
export const EXIT_CODES = { 0: 'done', 1: 'failed; standard error says why', 2: 'wrong use, or settings that cannot be used' } as const

/** Help of all commands. */
export function listHelp(groups: Readonly<Record<string, readonly Command[]>>): string {
  const width = Math.max(...Object.values(groups).flatMap((commands) => commands.map(({ name }) => name.length)))
  return [
    'usage: countinghouse COMMAND [options]',
    '',
    ...wrap(
      'Operates Countinghouse and uses its API. Commands on your own deployment read the settings of the service from the environment.',
    ),
    '',
    ...Object.entries(groups).flatMap(([title, commands]) => [
      title,
      ...columns(commands.map(({ name, summary }) => [name.padEnd(width), summary])),
      '',
    ]),
    'Options of every command:',
    ...columns([
      ...Object.entries(GLOBAL_OPTIONS).map(([name, summary]): [string, string] => [`--${name}`, summary]),
      ['--version', 'prints the version'],
    ]),
    '',
    'Exit codes:',
    ...columns(Object.entries(EXIT_CODES)),
    '',
    'countinghouse help COMMAND explains a command.',
  ].join('\n')
}

/** Help of one command. */
export function commandHelp(command: Command): string {
  const options = Object.entries(command.options).map(([name, { value, summary }]): [string, string] => [
    `--${name}${value === undefined ? '' : ` ${value}`}`,
    summary,
  ])
  const own = command.arguments ?? []
  return [
    usageOf(command),
    '',
    ...command.description.flatMap((paragraph) => [...wrap(paragraph), '']),
    ...(own.length > 0 ? ['Arguments:', ...columns(own.map(({ name, summary }) => [name, summary])), ''] : []),
    'Options:',
    ...columns([...options, ...Object.entries(GLOBAL_OPTIONS).map(([name, summary]): [string, string] => [`--${name}`, summary])]),
    '',
    'Examples:',
    ...command.examples.flatMap(({ line, summary }) => [`  ${line}`, `      ${summary}`]),
  ].join('\n')
}

export function usageOf(command: Command): string {
  const own = (command.arguments ?? []).map(({ name, isOptional }) => (isOptional ? `[${name}]` : name))
  return ['usage: countinghouse', command.name, ...own, '[options]'].join(' ')
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2
  return rows.flatMap(([name, text]) => {
    const [first = '', ...rest] = wrap(text, WIDTH - width - 2)
    return [`  ${name.padEnd(width)}${first}`, ...rest.map((line) => `  ${''.padEnd(width)}${line}`)]
  })
}

function wrap(text: string, width = WIDTH): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = ''
    }
    line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
