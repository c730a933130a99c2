import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openBank } from './bank/bank.ts'
import { openDeployment } from './deployment.ts'
import { atMost, type Figure, untargeted } from './figures.ts'
import type { Effort } from './options.ts'
import { installPackaged, type Started, startBare, startRole } from './packaged.ts'
import { endProcess, residentMiB } from './processes.ts'
import { printProgress } from './progress.ts'
import { median } from './statistics.ts'

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
