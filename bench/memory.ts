import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { buildBundle } from '../src/process/built/bundle-files.ts'
import { buildCluster } from '../src/process/built/cluster-files.ts'
import { atMost, type Figure } from './figures.ts'
import type { Effort } from './options.ts'
import { answers, endProcess, findFreePort, residentMiB } from './processes.ts'
import { printProgress } from './progress.ts'
import { median } from './statistics.ts'

const MAIN = join(import.meta.dirname, '..', 'src', 'main.ts')
const START_LIMIT_MS = 60_000
const ASK_AGAIN_MS = 5

/**
 * Start of `npm start` on an empty folder and on the data of an earlier start, and memory of its Node process at rest.
 * PostgreSQL is not counted. What starts of a checkout build in the background for later ones is there.
 */
export async function benchMemory({ idleSeconds, rounds }: Effort): Promise<Figure[]> {
  await Promise.all([buildBundle(), buildCluster()])
  const first: number[] = []
  const again: number[] = []
  const idle: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    printProgress(`memory: round ${round + 1} of ${rounds}: a first start, a second one, then ${idleSeconds} s of rest`)
    const folder = await mkdtemp(join(tmpdir(), 'countinghouse-bench-'))
    // When run as root, PostgreSQL runs as another user, which must be able to traverse the folder.
    await chmod(folder, 0o711)
    try {
      first.push((await measureStart(folder, 0)).startedMs)
      const { idleMiB, startedMs } = await measureStart(folder, idleSeconds)
      again.push(startedMs)
      idle.push((idleMiB * 2 ** 20) / 1e6)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  return [
    atMost('from npm start in an empty folder to the first 200, s', median(first) / 1_000, 1.5),
    atMost('from npm start on existing data to the first 200, s', median(again) / 1_000, 1),
    atMost(`resident memory of its Node process after ${idleSeconds} s of rest, MB`, median(idle), 150, 0),
  ]
}

/** From the command to the first 200 of /readyz, and the memory after the greeting and some rest. */
async function measureStart(folder: string, idleSeconds: number): Promise<{ idleMiB: number; startedMs: number }> {
  const beganMs = performance.now()
  const port = await findFreePort()
  const child = spawn(process.execPath, [...process.execArgv, MAIN, 'start'], {
    env: { PATH: process.env.PATH, DATA_DIR: folder, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const greeted = greetingOf(child)
    await Promise.race([firstAnswer(`http://127.0.0.1:${port}/readyz`), greeted])
    const startedMs = performance.now() - beganMs
    await greeted
    await wait(idleSeconds * 1_000)
    return { idleMiB: await residentMiB(child.pid ?? 0), startedMs }
  } finally {
    await endProcess(child)
  }
}

/** The greeting is the only output that is not a line of JSON. */
async function greetingOf(child: ChildProcessByStdio<null, Readable, null>): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error('the service did not start within a minute')), START_LIMIT_MS)
    child.once('exit', () => reject(new Error('the service ended instead of starting')))
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line === '' || line.startsWith('{')) return
      clearTimeout(limit)
      resolve()
    })
  })
}

async function firstAnswer(url: string): Promise<void> {
  while (!(await answers(url))) await wait(ASK_AGAIN_MS)
}
