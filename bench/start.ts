import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openBank } from './bank/bank.ts'
import { openDeployment } from './deployment.ts'
import { atMost, type Figure, untargeted } from './figures.ts'
import type { Effort } from './options.ts'
import { buildAll, installPackaged, type Started, startBare, startBareByNpm, startByNpm, startRole } from './packaged.ts'
import { endProcess, residentMiB } from './processes.ts'
import { printProgress } from './progress.ts'
import { median } from './statistics.ts'

/** `npm start` in this checkout, on an empty folder and on the data that it left there; its PostgreSQL starts with it. */
async function measureNpm(rounds: number): Promise<Figure[]> {
  const first: Started[] = []
  const again: Started[] = []
  const bare: Started[] = []
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-npm-'))
  // When run as root, PostgreSQL runs as another user, which must be able to traverse the folder.
  await chmod(folder, 0o711)
  try {
    // A start builds what is missing in the background, and those below are ended before they have.
    await buildAll()
    // Round 0 compiles what is kept for the following starts.
    for (let round = 0; round <= rounds; round += 1) {
      printProgress(`start: npm start, round ${round} of ${rounds}`)
      const dataDir = join(folder, `data-${round}`)
      for (const [list, start] of [
        [bare, () => startBareByNpm(folder)],
        [first, () => startByNpm(dataDir)],
        [again, () => startByNpm(dataDir)],
      ] as const) {
        const started = await start()
        if (round > 0) list.push(started)
        await endProcess(started.child)
      }
    }
    return [
      atMost('npm start on an empty folder until the first 200, s', medianMs(first) / 1_000, 1.5),
      atMost('npm start on data that exists until the first 200, s', medianMs(again) / 1_000, 1),
      untargeted('  npm start of a bare server, s', (medianMs(bare) / 1_000).toFixed(2)),
      untargeted('  times that', `${(medianMs(first) / medianMs(bare)).toFixed(1)} and ${(medianMs(again) / medianMs(bare)).toFixed(1)}`),
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Start and memory of the packaged service in production, installed as the packages install it (compiled, one arena of
 * memory): an API and a worker on a database that is migrated.
 */
export async function benchStart({ rounds, idleSeconds }: Effort): Promise<Figure[]> {
  printProgress('start: laying out the packaged service')
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-start-'))
  const deployment = await openDeployment(openBank(0))
  try {
    const tree = await installPackaged(folder)
    const starts: Started[] = []
    const bare: Started[] = []
    for (let round = 0; round < rounds; round += 1) {
      printProgress(`start: round ${round + 1} of ${rounds}`)
      for (const [list, start] of [
        [bare, () => startBare()],
        [starts, () => startRole('api', { tree, folder, deployment })],
      ] as const) {
        const started = await start()
        list.push(started)
        await endProcess(started.child)
      }
    }
    printProgress(`start: an API and a worker, then ${idleSeconds} s of rest`)
    const running = [await startRole('api', { tree, folder, deployment }), await startRole('worker', { tree, folder, deployment })]
    const idle = await startBare()
    await wait(idleSeconds * 1_000)
    const [api = 0, worker = 0, bareMiB = 0] = await Promise.all([...running, idle].map(({ child }) => residentMiB(child.pid ?? 0)))
    for (const { child } of [...running, idle]) await endProcess(child)
    return [
      ...(await measureNpm(rounds)),
      atMost('start of the API in production until the first 200, s', medianMs(starts) / 1_000, 2),
      untargeted('  processor time of it, s', (median(starts.map((each) => each.processorMs)) / 1_000).toFixed(2)),
      untargeted('  of a bare server, s', (medianMs(bare) / 1_000).toFixed(2)),
      untargeted('  times a bare server', (medianMs(starts) / medianMs(bare)).toFixed(1)),
      atMost(`resident memory of an API and a worker after ${idleSeconds} s of rest, MB`, toMb(api + worker), 250, 0),
      untargeted('  of the API and of the worker, MB', `${toMb(api).toFixed(0)} and ${toMb(worker).toFixed(0)}`),
      untargeted('  times two bare servers', ((api + worker) / (2 * bareMiB)).toFixed(1)),
    ]
  } finally {
    await deployment.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function toMb(mebibytes: number): number {
  return (mebibytes * 2 ** 20) / 1e6
}

function medianMs(starts: readonly Started[]): number {
  return median(starts.map(({ ms }) => ms))
}
