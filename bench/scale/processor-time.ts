import { readFile } from 'node:fs/promises'
import type { Database } from '../../src/store/db/database.ts'

/** Processor time of one piece of work, in microseconds. */
export interface Cost {
  postgres: number
  worker: number
}

/** Processor time of this process and of the servers of a pool's connections, since the last reading, for each of `count`. */
export async function openMeter(database: Database): Promise<{ read(count: number): Promise<Cost> }> {
  const pids = new Set<number>()
  const listServers = async (): Promise<void> => {
    const { rows } = await database.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
    )
    for (const { pid } of rows) pids.add(pid)
  }
  const sum = async (): Promise<number> => {
    await listServers()
    const times = await Promise.all([...pids].map((pid) => readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '0')))
    return times.reduce((total, text) => total + Number(text.split(' ')[0]) / 1_000, 0)
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
