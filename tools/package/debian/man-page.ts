import { GLOBAL_OPTIONS } from '../../../src/cli/command/arguments.ts'
import type { Command } from '../../../src/cli/command/command.ts'
import { EXIT_CODES } from '../../../src/cli/command/help.ts'

/** Source of the page countinghouse(1), from the commands' descriptions. */
export function toManPage(commands: readonly Command[], { version, date }: { version: string; date: string }): string {
  return [
    `.TH COUNTINGHOUSE 1 "${date}" "Countinghouse ${version}" "User Commands"`,
    '.SH NAME',
    'countinghouse \\- operates a service for normalized accounting and bank account data',
    '.SH SYNOPSIS',
    '.B countinghouse',
    '.I COMMAND',
    '[options]',
    '.SH DESCRIPTION',
    'As root, the command runs as the user countinghouse. Its settings are those of the service.',
    '.SH COMMANDS',
    ...commands.flatMap(describeCommand),
    '.SH OPTIONS',
    'Every command takes these:',
    ...terms([...Object.entries(GLOBAL_OPTIONS).map(([name, text]): Term => [`--${name}`, text]), ['--version', 'prints the version']]),
    '.SH EXIT STATUS',
    ...terms(Object.entries(EXIT_CODES)),
    '.SH FILES',
    ...terms([
      ['/etc/countinghouse/environment', 'settings of all processes and of the command, one NAME=VALUE a line'],
      ['/etc/countinghouse/ROLE.environment', 'settings of the processes of one role, such as METRICS_LISTEN'],
      ['/var/lib/countinghouse', 'keys and sources.json'],
    ]),
    '.SH NOTES',
    'The unit is a template:',
    ...terms([
      ['systemctl enable --now countinghouse@api', 'a process that serves requests'],
      ['systemctl enable --now countinghouse@worker', 'a process that syncs and sends'],
      ['systemctl enable --now countinghouse@all', 'both in one process'],
    ]),
    '',
  ].join('\n')
}

type Term = readonly [string, string]

function describeCommand({ name, arguments: own = [], summary, description, options, examples }: Command): string[] {
  const usage = [name, ...own.map((each) => (each.isOptional ? `[${each.name}]` : each.name))].join(' ')
  const listed = Object.entries<{ value?: string; summary: string }>(options)
  return [
    `.SS ${toRoff(usage)}`,
    `${toRoff(sentence(summary))}`,
    ...description.flatMap((paragraph) => ['.PP', toRoff(paragraph)]),
    ...terms(own.map((each) => [each.name, each.summary])),
    ...terms(listed.map(([option, { value, summary: text }]) => [`--${option}${value === undefined ? '' : ` ${value}`}`, text])),
    ...(examples.length > 0 ? ['.PP', 'Examples:'] : []),
    ...terms(examples.map(({ line, summary: text }) => [line, text])),
  ]
}

function terms(rows: readonly Term[]): string[] {
  return rows.flatMap(([name, text]) => ['.TP', `.B ${toRoff(name)}`, toRoff(sentence(text))])
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** Text as groff prints it: hyphens that can be copied, no requests. */
function toRoff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/, '\\&')
    .replaceAll('"', '\\(dq')
}
