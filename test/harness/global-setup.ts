import { createServer, type Server } from 'node:http'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../../src/store/db/database.ts'
import { upgradeSchema } from '../../src/store/db/migrate.ts'
import { startEmbeddedPostgres } from '../../src/store/embedded/postgres.ts'
import { addPageSpans } from '../../src/store/retention/page-spans.ts'
import { addEventWeeks } from '../../src/webhooks/event-partitions.ts'
import { poolerAccess, startPooler } from '../process/pooler.ts'
import { openRunFolder, sweepDeadRuns } from './run-folder.ts'

/** Connection data of the run's PostgreSQL, as used by `test/harness/database.ts`. */
export interface TestPostgres {
  /** The superuser in the database `postgres`. */
  adminUrl: string
  /** Address of a database as the service's own role; its name is a placeholder. */
  url: string
  /** The database to clone. */
  template: string
  /** The same by way of PgBouncer in transaction mode, with TEST_POOLER=transaction; otherwise null. */
  poolerUrl: string | null
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** `/migrated` and `/empty` answer a `TestPostgres` as JSON; status 500 with a text on failure. */
    testPostgresUrl: string
  }
}

const POOLED = 6
/** RAW_PAGE_MONTHS, by default. */
const PAGE_MONTHS = 24
const TEMPLATE = 'migrated_template'

/** Data of a test run is discarded, so durability is turned off. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_wal_size: '256MB',
  shared_buffers: '64MB',
  max_connections: '200',
}

/**
 * Starts one PostgreSQL per test run, in the folder of the run. It starts when the first test needs a database, so a
 * run of pure tests does not pay for it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, close } = await openTestPostgres()
  project.provide('testPostgresUrl', url)
  return close
}

/** The same for other programs, which set TEST_POSTGRES_URL to the address. */
export async function openTestPostgres(): Promise<{ url: string; close(): Promise<void> }> {
  await sweepDeadRuns()
  const folder = await openRunFolder()
  let starting: Promise<RunPostgres> | undefined
  const server = createServer((request, response) => {
    starting ??= startRunPostgres(folder.path)
    starting
      .then((postgres) => postgres.describe(request.url === '/migrated'))
      .then(
        (answer) => response.end(JSON.stringify(answer)),
        (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
      )
  })
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      if (starting) await (await starting).stop()
      await folder.remove()
    },
  }
}

/** The address of another database on the same server. */
export function withDatabase(url: string, name: string): string {
  return url.replace(/\/[^/@?]+(?=\?|$)/, `/${name}`)
}

interface RunPostgres {
  describe(isMigrated: boolean): Promise<TestPostgres>
  stop(): Promise<void>
}

async function startRunPostgres(dataDir: string): Promise<RunPostgres> {
  const isPooled = process.env.TEST_POOLER === 'transaction'
  const access = isPooled ? await poolerAccess(dataDir) : {}
  const { url, adminUrl, stop } = await startEmbeddedPostgres({ dataDir, settings: { ...SETTINGS, ...access } })
  // Fewer server connections than a pool of ours has, so that sessions are shared all the time.
  const pooler = isPooled ? await startPooler(url, { mode: 'transaction', serverConnections: POOLED, clients: 2_000 }) : null
  const addresses = { url, adminUrl, poolerUrl: pooler?.url ?? null }
  let template: Promise<void> | undefined
  return {
    describe: async (isMigrated) => {
      if (!isMigrated) return { ...addresses, template: 'template1' }
      template ??= createTemplate(url, adminUrl)
      await template
      return { ...addresses, template: TEMPLATE }
    },
    stop: async () => {
      await pooler?.close()
      await stop()
    },
  }
}

async function createTemplate(url: string, adminUrl: string): Promise<void> {
  const admin = openDatabase(adminUrl, { max: 1 })
  const template = openDatabase(withDatabase(url, TEMPLATE), { max: 2 })
  try {
    await admin.query(`create database ${TEMPLATE} owner countinghouse`)
    await upgradeSchema(template)
    await addEventWeeks(template, console)
    await addPageSpans(template, PAGE_MONTHS, console)
  } finally {
    await template.end()
    await admin.end()
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address && typeof address === 'object') resolve(address.port)
    })
  })
}
