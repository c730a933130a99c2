import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../src/store/database.ts'
import { findClaimant } from '../src/store/embedded/claim.ts'
import { startEmbeddedPostgres } from '../src/store/embedded/postgres.ts'
import { hasCode } from '../src/store/embedded/processes.ts'
import { stopStaleServer } from '../src/store/embedded/server.ts'
import { migrate } from '../src/store/migrate.ts'

/** What `test/database.ts` gets from the run's PostgreSQL. */
export interface TestPostgres {
  /** The superuser in the database `postgres`. */
  adminUrl: string
  /** A database of this cluster as the service's own role; its name is to be replaced. */
  url: string
  /** The database to clone. */
  template: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** `/migrated` and `/empty` answer a `TestPostgres` as JSON; status 500 and a text when there is none. */
    testPostgresUrl: string
  }
}

const FOLDER_PREFIX = 'countinghouse-test-'
const TEMPLATE = 'migrated_template'

/** A test run's data is thrown away, so nothing waits for the disk. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', shared_buffers: '64MB', max_connections: '200' }

/**
 * One PostgreSQL per test run, in a temporary folder of its own. It starts when the first test asks for a database: a run of pure
 * tests does not pay for it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, close } = await openTestPostgres()
  project.provide('testPostgresUrl', url)
  return close
}

/** The same for a program that is no test run; it puts the address into TEST_POSTGRES_URL. */
export async function openTestPostgres(): Promise<{ url: string; close(): Promise<void> }> {
  await sweepDeadRuns()
  let starting: Promise<RunPostgres> | undefined
  const server = createServer((request, response) => {
    starting ??= startRunPostgres()
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
    },
  }
}

/** The same server's address with another database's name. */
export function withDatabase(url: string, name: string): string {
  return url.replace(/\/[^/@?]+(?=\?|$)/, `/${name}`)
}

interface RunPostgres {
  describe(isMigrated: boolean): Promise<TestPostgres>
  stop(): Promise<void>
}

async function startRunPostgres(): Promise<RunPostgres> {
  const folder = await mkdtemp(join(tmpdir(), FOLDER_PREFIX))
  await chmod(folder, 0o711)
  const { url, adminUrl, stop } = await startEmbeddedPostgres({ dataDir: folder, settings: SETTINGS })
  let template: Promise<void> | undefined
  return {
    describe: async (isMigrated) => {
      if (!isMigrated) return { url, adminUrl, template: 'template1' }
      template ??= createTemplate(url, adminUrl)
      await template
      return { url, adminUrl, template: TEMPLATE }
    },
    stop: async () => {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function createTemplate(url: string, adminUrl: string): Promise<void> {
  const admin = openDatabase(adminUrl, { max: 1 })
  const template = openDatabase(withDatabase(url, TEMPLATE), { max: 1 })
  try {
    await admin.query(`create database ${TEMPLATE} owner countinghouse`)
    await migrate(template)
  } finally {
    await template.end()
    await admin.end()
  }
}

/**
 * A run that was killed leaves its PostgreSQL and its folder behind; the next run clears them away. A folder without any claim is a
 * run that is just starting or ending.
 */
async function sweepDeadRuns(): Promise<void> {
  const folders = (await readdir(tmpdir())).filter((name) => name.startsWith(FOLDER_PREFIX)).map((name) => join(tmpdir(), name))
  for (const folder of folders) {
    try {
      if (!(await isAbandoned(folder))) continue
      await stopStaleServer(join(folder, 'postgres', 'cluster'))
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    } catch (error) {
      const isGoneOrForeign = hasCode(error, 'ENOENT', 'EACCES', 'EPERM')
      if (!isGoneOrForeign) throw error
    }
  }
}

async function isAbandoned(folder: string): Promise<boolean> {
  const home = join(folder, 'postgres')
  const claims = await readdir(join(home, 'claims'))
  return claims.length > 0 && (await findClaimant(home)) === null
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
