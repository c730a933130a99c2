import { readFile } from 'node:fs/promises'
import type { Database } from '../../src/store/db/database.ts'

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
    for (const [pid, before] of micros) {
      const text = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => null)
      micros.set(pid, text === null ? before : Number(text.split(' ')[0]) / 1_000)
    }
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
