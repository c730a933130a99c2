import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { atMost, type Figure, untargeted } from './figures.ts'
import type { Effort } from './options.ts'
import { endProcess, findFreePort, residentMiB } from './processes.ts'
import { printProgress } from './progress.ts'

const MAIN = join(import.meta.dirname, '..', 'src', 'main.ts')
const START_LIMIT_MS = 60_000

/** Memory of the Node process of a service started on an empty folder and left idle. PostgreSQL is not counted. */
export async function benchMemory({ idleSeconds }: Effort): Promise<Figure[]> {
  printProgress(`memory: a first start, then ${idleSeconds} s of rest`)
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-bench-'))
  // When run as root, PostgreSQL runs as another user, which must be able to traverse the folder.
  await chmod(folder, 0o711)
  try {
    const { idleMiB, startedMs } = await measureStart(folder, idleSeconds)
    return [
      atMost(`resident memory after the start and ${idleSeconds} s of rest, MiB`, idleMiB, 150, 0),
      untargeted('  from the command to the greeting, s', (startedMs / 1_000).toFixed(1)),
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureStart(folder: string, idleSeconds: number): Promise<{ idleMiB: number; startedMs: number }> {
  const beganMs = performance.now()
  const child = spawn(process.execPath, [...process.execArgv, MAIN, 'start'], {
    env: { PATH: process.env.PATH, DATA_DIR: folder, PORT: String(await findFreePort()) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await new Promise<void>((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error('the service did not start within a minute')), START_LIMIT_MS)
      child.once('exit', () => reject(new Error('the service ended instead of starting')))
      // The greeting is the only output that is not a line of JSON.
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (line === '' || line.startsWith('{')) return
        clearTimeout(limit)
        resolve()
      })
    })
    const startedMs = performance.now() - beganMs
    await wait(idleSeconds * 1_000)
    return { idleMiB: await residentMiB(child.pid ?? 0), startedMs }
  } finally {
    await endProcess(child)
  }
}
