import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createQuickbooksSimulator } from '../../simulators/quickbooks/index.ts'
import { type RunningSimulator, serveSimulator } from '../../simulators/simulator.ts'
import { RELEASE } from '../../src/model/release.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { readMigrations } from '../../src/store/db/migration-files.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/embedded/postgres.ts'
import { findFreePort, openTestFolder, type Service, startService } from '../process/service.ts'
import { LOGIN } from './fill-deployment.ts'
import { writeNextVersion } from './next-version.ts'
import { layOutCode } from './release-code.ts'
import { readReleases } from './releases.ts'

/**
 * Recorded code has no pages for developers. Release 1.0.0 claims whole rows of `jobs`: a claim that is under way when a
 * column is added fails, and is repeated.
 */
const EXPECTED = /"(the portal|the documentation) could not be built|"structure of query does not match function result type"/

type Folder = Awaited<ReturnType<typeof openTestFolder>>
type Version = 'older' | 'newer'

/** Two consecutive versions. */
interface Pair {
  title: string
  /** Writes the code of a version to a folder; null: it is that of this checkout. */
  code: Readonly<Record<Version, ((folder: string) => Promise<void>) | null>>
  /** Migrations that only the newer one has. */
  migrations: readonly string[]
}

/** The last release and this version, and this version and a next one. */
export async function listPairs(): Promise<Pair[]> {
  const [last] = await readReleases()
  if (!last) throw new Error('no release is recorded in test/upgrades/releases')
  const { release, migration } = last
  const later = (await readMigrations()).map(({ name }) => name).filter((name) => name > migration)
  return [
    {
      title: `release ${release} and this version`,
      code: { older: (folder) => layOutCode(release, folder), newer: null },
      migrations: later,
    },
    {
      title: `this version (${RELEASE} and what follows) and a next one`,
      code: { older: null, newer: writeNextVersion },
      migrations: ['990-next.sql', '991-next-index.sql'],
    },
  ]
}

/** Processes of two versions in production, on one database and with one source. */
export class PairedDeployment {
  /** Port of the older version’s process, and of the public address. */
  readonly port: number
  readonly postgres: EmbeddedPostgres
  readonly books: RunningSimulator<ReturnType<typeof createQuickbooksSimulator>>
  /** All processes that were started. */
  readonly started: Service[] = []
  readonly #folder: Folder
  readonly #pair: Pair
  readonly #running = new Set<Service>()

  private constructor(pair: Pair, parts: Pick<PairedDeployment, 'port' | 'postgres' | 'books'> & { folder: Folder }) {
    this.port = parts.port
    this.postgres = parts.postgres
    this.books = parts.books
    this.#folder = parts.folder
    this.#pair = pair
  }

  static async open(pair: Pair): Promise<PairedDeployment> {
    const folder = await openTestFolder()
    for (const [version, write] of Object.entries(pair.code)) if (write) await write(join(folder.path, version))
    const books = await serveSimulator(createQuickbooksSimulator)
    const hosts = Object.fromEntries(['authorize', 'token', 'revoke', 'api'].map((name) => [name, books.url]))
    await mkdir(join(folder.path, 'data'), { mode: 0o711 })
    const settings = { quickbooks: { app: { clientId: 'client', clientSecret: 'secret' }, hosts } }
    await writeFile(join(folder.path, 'data', 'sources.json'), JSON.stringify(settings), { mode: 0o600 })
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder.path, 'database'), settings: { fsync: 'off' } })
    return new PairedDeployment(pair, { port: await findFreePort(), postgres, books, folder })
  }

  /** Each version has a data directory of its own with the same keys, as on two machines. */
  async start(version: Version): Promise<Service> {
    const dataDir = join(this.#folder.path, version === 'older' ? 'data' : 'data-newer')
    if (version === 'newer') await cp(join(this.#folder.path, 'data'), dataDir, { recursive: true })
    const environment = {
      ENVIRONMENT: 'production',
      DATABASE_URL: this.postgres.url,
      // One public address, as behind a load balancer.
      BASE_URL: `http://127.0.0.1:${this.port}`,
      ALLOW_PRIVATE_ADDRESSES: 'true',
      REQUESTS_PER_SESSION: '0',
      SEED_EMAIL: LOGIN.email,
      SEED_PASSWORD: LOGIN.password,
    }
    const service = await startService({
      ...{ dataDir, environment },
      ...(version === 'older' ? { port: this.port } : {}),
      ...(this.#pair.code[version] === null ? {} : { checkout: join(this.#folder.path, version) }),
    })
    this.started.push(service)
    this.#running.add(service)
    return service
  }

  /** How the process ended after a SIGTERM. */
  async stop(service: Service): Promise<Awaited<ReturnType<Service['stop']>>> {
    this.#running.delete(service)
    return await service.stop()
  }

  /** Lines of the log that need a person, but for those that are expected. */
  faults(): string[] {
    const lines = this.started.flatMap((service) => service.output().split('\n'))
    return lines.filter((line) => /"level":"(error|fatal)"/.test(line) && !EXPECTED.test(line))
  }

  async query<T extends Record<string, unknown>>(text: string): Promise<T[]> {
    const database = openDatabase(this.postgres.url, { max: 1 })
    try {
      return (await database.query<T>(text)).rows
    } finally {
      await database.end()
    }
  }

  async close(): Promise<void> {
    for (const service of this.#running) await service.kill()
    await this.postgres.stop()
    await this.books.close()
    await this.#folder.remove()
  }
}
