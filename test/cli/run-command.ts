import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'

const LAUNCHER = join(resolve(import.meta.dirname, '..', '..'), 'bin', 'countinghouse.js')

export interface CommandRun {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** Runs `countinghouse` to its end, as an operator does, with only these settings. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  as: { uid?: number; gid?: number } = {},
): Promise<CommandRun> {
  const run = startCommand(args, env, [], as)
  await run.ended
  return { code: run.child.exitCode, signal: run.child.signalCode, ...run.printed }
}

export function startCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  nodeArgs: readonly string[] = [],
  as: { uid?: number; gid?: number } = {},
) {
  const child = spawn(process.execPath, [...nodeArgs, LAUNCHER, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...as,
  })
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text
    })
  }
  return { child, printed, ended: once(child, 'close') }
}
