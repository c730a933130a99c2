import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { LoadRequest, LoadResult, LoadTarget } from './load.ts'

const run = promisify(execFile)
const SCRIPT = join(import.meta.dirname, 'wrk.lua')

/** Real-time priority. Source: https://man7.org/linux/man-pages/man1/chrt.1.html */
const FIRST = ['chrt', '--fifo', '1']

let may: Promise<boolean> | undefined

/** Whether this process may give a program a real-time priority. */
export function mayComeFirst(): Promise<boolean> {
  const [command = '', ...args] = [...FIRST, 'true']
  may ??= run(command, args).then(
    () => true,
    () => false,
  )
  return may
}

interface Summary {
  requests: number
  micros: number
  bytes: number
  p50Micros: number
  p99Micros: number
  failed: number
}

/**
 * Uses one thread: more would compete with the server on a small machine.
 * Source: https://github.com/wg/wrk/blob/master/SCRIPTING
 */
export async function loadByWrk(
  program: string,
  { port, requests, connections, seconds, pauseMs = 0, comesFirst = false }: LoadTarget,
): Promise<LoadResult> {
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-bench-'))
  try {
    const file = join(folder, 'requests')
    await writeFile(file, requests.map(toLine).join(''))
    const [command = program, ...first] = [...(comesFirst && (await mayComeFirst()) ? FIRST : []), program]
    const { stdout } = await run(command, [
      ...first,
      '-t1',
      `-c${connections}`,
      `-d${seconds}s`,
      '-s',
      SCRIPT,
      `http://127.0.0.1:${port}`,
      '--',
      file,
      String(pauseMs),
    ])
    const summary = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Summary
    return {
      requests: summary.requests,
      perSecond: summary.requests / (summary.micros / 1e6),
      bytesPerRequest: summary.bytes / summary.requests,
      p50Ms: summary.p50Micros / 1_000,
      p99Ms: summary.p99Micros / 1_000,
      failed: summary.failed,
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function toLine({ path, headers }: LoadRequest): string {
  return `${[path, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\t')}\n`
}
