import { readFile } from 'node:fs/promises'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/embedded/postgres.ts'
import { findFreePort, openTestFolder, type Service, startService } from '../process/service.ts'

const TOKEN = 'a-token-of-this-test'

export interface Role {
  name: 'api' | 'worker'
  service: Service
  /** Address of its health and metrics. */
  health: string
}

/** An API and a worker in processes of their own, with simulated sources, on a PostgreSQL that can be taken away. */
export class OutageDeployment {
  readonly roles: readonly Role[]
  /** Reads what processes left in the database; not for use while it is away. */
  readonly database: Database
  readonly #folder: Awaited<ReturnType<typeof openTestFolder>>
  #postgres: EmbeddedPostgres | null

  private constructor(folder: Awaited<ReturnType<typeof openTestFolder>>, postgres: EmbeddedPostgres, roles: readonly Role[]) {
    this.#folder = folder
    this.#postgres = postgres
    this.roles = roles
    this.database = openDatabase(postgres.url, { max: 1, name: 'test' })
  }

  static async open(): Promise<OutageDeployment> {
    const folder = await openTestFolder()
    const postgres = await startEmbeddedPostgres({ dataDir: folder.path })
    const port = await findFreePort()
    const roles: Role[] = []
    for (const name of ['api', 'worker'] as const) {
      const healthPort = await findFreePort()
      const environment = {
        DATABASE_URL: postgres.url,
        ROLE: name,
        METRICS_LISTEN: String(healthPort),
        METRICS_TOKEN: TOKEN,
        ACCESS_TOKEN_MINUTES: '1440',
      }
      const service = await startService({ dataDir: folder.path, port, environment })
      roles.push({ name, service, health: `http://127.0.0.1:${healthPort}` })
    }
    return new OutageDeployment(folder, postgres, roles)
  }

  get api(): Role {
    const [api] = this.roles
    if (!api) throw new Error('there is no API')
    return api
  }

  async takeDatabaseAway(): Promise<void> {
    await this.#postgres?.stop()
    this.#postgres = null
  }

  async bringDatabaseBack(): Promise<void> {
    this.#postgres = await startEmbeddedPostgres({ dataDir: this.#folder.path })
  }

  /** Sum of a counter over both roles and all labels. */
  async count(metric: string): Promise<number> {
    const texts = await Promise.all(this.roles.map(({ health }) => this.#metricsAt(health)))
    const lines = texts.flatMap((text) => text.split('\n').filter((line) => line.startsWith(`${metric}{`)))
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  }

  async #metricsAt(health: string): Promise<string> {
    const answer = await fetch(`${health}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
    if (answer.status !== 200) throw new Error(`/metrics answers ${answer.status}`)
    return await answer.text()
  }

  async close(): Promise<void> {
    await this.database.end()
    await Promise.all(this.roles.map(({ service }) => service.kill()))
    await this.#postgres?.stop()
    await this.#folder.remove()
  }
}

/** Resident memory of a process in megabytes (Linux). */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024) / 1e6
}
