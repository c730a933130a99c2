import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openBank } from './bank/bank.ts'
import { type Deployment, openDeployment } from './deployment.ts'
import { atMost, type Figure } from './figures.ts'
import type { Effort } from './options.ts'
import { installPackaged, startRole } from './packaged.ts'
import { endProcess, residentMiB } from './processes.ts'
import { printProgress } from './progress.ts'

const ROLES = ['all', 'api', 'worker'] as const

/** PostgreSQL's own: a checkpoint, and its list of running transactions. */
const OWN_WAL_BYTES = 500

/**
 * The packaged service while nothing happens: how often its main thread wakes, what it makes PostgreSQL write, and its
 * resident memory.
 */
export async function benchIdle({ restSeconds, watchSeconds }: Effort): Promise<Figure[]> {
  printProgress('idle: laying out the packaged service')
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-idle-'))
  const deployment = await openDeployment(openBank(0))
  try {
    const tree = await installPackaged(folder)
    const figures: Figure[] = []
    for (const role of ROLES) {
      printProgress(`idle: role ${role}, ${restSeconds} s of rest, then ${watchSeconds} s are watched`)
      const { child } = await startRole(role, { tree, folder, deployment })
      await wait(restSeconds * 1_000)
      const before = [await wakeUps(child.pid ?? 0), await walBytes(deployment)] as const
      await wait(watchSeconds * 1_000)
      const after = [await wakeUps(child.pid ?? 0), await walBytes(deployment)] as const
      const residentBytes = (await residentMiB(child.pid ?? 0)) * 2 ** 20
      await endProcess(child)
      figures.push(
        atMost(`wake-ups a second of an idle process of role ${role}`, (after[0] - before[0]) / watchSeconds, 2),
        atMost('  bytes of WAL a minute', ((after[1] - before[1]) * 60) / watchSeconds, OWN_WAL_BYTES, 0),
        atMost('  resident memory, MB', residentBytes / 1e6, 150, 0),
      )
    }
    return figures
  } finally {
    await deployment.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** How often the main thread has waited for something (Linux). */
async function wakeUps(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1])
}

async function walBytes({ database }: Deployment): Promise<number> {
  const { rows } = await database.query<{ bytes: number }>(`select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as bytes`)
  return rows[0]?.bytes ?? 0
}
