import { parseArgs } from 'node:util'
import { MOST, MOST_OF_MODULE } from './nearest-tests.ts'
import { ROOMS } from './selection.ts'

export const USAGE = `usage: npm run mutate -- [ROOM or path …] [--percent N] [--seed TEXT] [--changed [--base COMMIT]] [--tests FILE,…] [--nearest N] [--lines N] [--minutes N] [--at-least N] [--coverage]

Makes small faults in the code, one at a time, and says which of them the nearest tests notice (docs/mutation.md).
ROOM is one of ${Object.keys(ROOMS).join(', ')}; all when none is named. A path may end with lines: FILE:40-80.
--coverage  before, runs each test file that may judge once and keeps what it calls; all later runs choose tests by that
--percent   that share of the code, chosen by --seed, always the same for one seed
--changed   only what differs from --base: where the branch left the remote's main, or what main's last 10 commits changed
--tests     test files, between commas, in place of those that are nearest
--nearest   how many test files judge one file; 5, or 4 with --changed
--lines     most lines of code that are changed, chosen by --seed
--minutes   ends after that time; what has been judged by then is a sample of all that were to be judged
--at-least  fails when less than that percentage of what a test ran is noticed, of 20 faults or more`

export interface MutationOptions {
  places: string[]
  percent: number
  seed: string
  isChanged: boolean
  measuresCoverage: boolean
  base: string | null
  tests: string[] | null
  nearest: number
  lines: number
  minutes: number
  atLeast: number
}

/** Reads the command line. Throws for what it does not know, and for a number that is none. */
export function readMutationOptions(args: string[]): MutationOptions {
  const text = { type: 'string' } as const
  const options = {
    percent: text,
    seed: text,
    changed: { type: 'boolean' },
    coverage: { type: 'boolean' },
    base: text,
    tests: text,
    nearest: text,
    lines: text,
    minutes: text,
    'at-least': text,
  } as const
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
  const number = (name: keyof typeof values, otherwise: number): number => {
    const given = values[name]
    if (given === undefined) return otherwise
    const value = Number(given)
    if (given === '' || !(value >= 0)) throw new Error(`--${name} takes a number`)
    return value
  }
  const isChanged = values.changed === true || values.base !== undefined
  const names = positionals.length > 0 ? positionals : Object.keys(ROOMS)
  return {
    places: names.flatMap((name) => ROOMS[name] ?? [name]),
    percent: number('percent', 100),
    seed: values.seed ?? '1',
    isChanged,
    measuresCoverage: values.coverage === true,
    base: values.base ?? null,
    tests: values.tests?.split(',') ?? null,
    nearest: number('nearest', isChanged ? MOST : MOST_OF_MODULE),
    lines: number('lines', Number.POSITIVE_INFINITY),
    minutes: number('minutes', Number.POSITIVE_INFINITY),
    atLeast: number('at-least', 0),
  }
}
