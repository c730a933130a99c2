import { readFile } from 'node:fs/promises'
import type { Database } from '../../src/store/db/database.ts'
import { statFields } from '../processes.ts'

/** Processor time of one piece of work, in microseconds. */
export interface Cost {
  postgres: number
  worker: number
}

/** Processor time of this process and of the servers of a pool's connections, since the last reading, for each of `count`. */
export async function openMeter(database: Database): Promise<{ read(count: number): Promise<Cost> }> {
  /** The last reading of each server: one that has ended has no other. */
  const micros = new Map<number, number>()
  const listServers = async (): Promise<void> => {
    const { rows } = await database.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
    )
    for (const { pid } of rows) if (!micros.has(pid)) micros.set(pid, 0)
  }
  const sum = async (): Promise<number> => {
    await listServers()
    for (const pid of micros.keys()) micros.set(pid, (await scheduledMicros(pid)) ?? micros.get(pid) ?? 0)
    return micros.values().reduce((total, time) => total + time, 0)
  }
  let postgres = await sum()
  let own = process.cpuUsage()
  return {
    read: async (count) => {
      const now = await sum()
      const used = process.cpuUsage(own)
      const cost = { postgres: (now - postgres) / count, worker: (used.user + used.system) / count }
      postgres = now
      own = process.cpuUsage()
      return cost
    },
  }
}

/**
 * Processor time that all processes of a PostgreSQL on this machine have used so far, in microseconds: servers of
 * connections, writers, and vacuum, also those that have ended.
 */
export async function postgresMicros(database: Database): Promise<number> {
  const { rows } = await database.query<{ pid: number; own: number }>('select pid, pg_backend_pid() as own from pg_stat_activity')
  const parent = Number((await statFields(rows[0]?.own ?? 0))[PARENT])
  let micros = (await scheduledMicros(parent)) ?? 0
  for (const { pid } of rows) micros += (await scheduledMicros(pid)) ?? 0
  const ofParent = await statFields(parent)
  return micros + (Number(ofParent[ENDED_USER]) + Number(ofParent[ENDED_SYSTEM])) * TICK_MICROS
}

/**
 * Places of `/proc/PID/stat` behind the name: the parent, and the time of ended children, in hundredths of a second.
 * Source: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
const [PARENT, ENDED_USER, ENDED_SYSTEM] = [1, 13, 14]
const TICK_MICROS = 10_000

/** Processor time of the main thread of a process; null if it has ended. */
async function scheduledMicros(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => null)
  return text === null ? null : Number(text.split(' ')[0]) / 1_000
}
