import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { clusterDatabase } from '../distribution/cluster-database.ts'
import { type TestPostgres, withDatabase } from './global-setup.ts'

export interface TestDatabase {
  database: Database
  /** For programs that open the database themselves; never by way of a pooler. */
  url: string
  /** For the service. */
  environment: Readonly<Record<string, string>>
  /** Closes the pool and drops the database, even if others are connected. */
  drop(): Promise<void>
}

/** Whether the databases of tests are on a cluster, whose coordinator plans and counts what nodes read. */
export const isOnCluster = process.env.TEST_CITUS !== undefined
export const serverNote = isOnCluster ? ' (SKIPPED: looks at what one server reads, and this is a cluster)' : ''

/**
 * Creates a separate database on a real PostgreSQL: with all tables (cloned in about 20 ms), or empty with `{
 * migrated: false }`. With TEST_CITUS on the cluster of CITUS_URL, where its tables are distributed over two workers.
 */
export async function testDatabase(options: { migrated?: boolean } = {}): Promise<TestDatabase> {
  if (process.env.TEST_CITUS === undefined) return await databaseOfOneServer(options)
  const isEmpty = options.migrated === false
  const { database, url, drop } = await clusterDatabase({ workers: 2, hasOwner: true, isEmpty })
  return { database, url, environment: { DATABASE_URL: url }, drop }
}

interface OneServerOptions {
  migrated?: boolean
  /** For tests of sessions, which have no pooler before them. */
  isDirect?: boolean
}

/** The same on one server, whatever other tests run on. */
export async function databaseOfOneServer({ migrated = true, isDirect = false }: OneServerOptions = {}): Promise<TestDatabase> {
  const { url, adminUrl, template, poolerUrl } = await findPostgres(migrated)
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await asAdmin(adminUrl, `create database ${name} template ${template} strategy file_copy owner countinghouse`)
  const directUrl = withDatabase(url, name)
  const pooledUrl = poolerUrl === null || isDirect ? null : withDatabase(poolerUrl, name)
  const database = pooledUrl === null ? openDatabase(directUrl) : openDatabase(pooledUrl, { directUrl })
  // The pool ends before its connections have closed; dropping the database breaks those.
  let isDropped = false
  database.on('error', (error) => {
    if (!isDropped) throw error
  })
  return {
    database,
    url: directUrl,
    environment: pooledUrl === null ? { DATABASE_URL: directUrl } : { DATABASE_URL: pooledUrl, DATABASE_DIRECT_URL: directUrl },
    drop: async () => {
      isDropped = true
      await database.end()
      await asAdmin(adminUrl, `drop database ${name} with (force)`)
    },
  }
}

/** Settings of a service that brings its own database, with TEST_POOLER one behind PgBouncer, or with TEST_CITUS one on a cluster. */
export async function databaseOfService(): Promise<Pick<TestDatabase, 'environment'> & { drop(): Promise<void> }> {
  if (process.env.TEST_POOLER === undefined && process.env.TEST_CITUS === undefined) return { environment: {}, drop: async () => undefined }
  return await testDatabase({ migrated: false })
}

async function findPostgres(isMigrated: boolean): Promise<TestPostgres> {
  const response = await fetch(`${process.env.TEST_POSTGRES_URL ?? inject('testPostgresUrl')}/${isMigrated ? 'migrated' : 'empty'}`)
  if (!response.ok) throw new Error(`no test database: ${await response.text()}`)
  return (await response.json()) as TestPostgres
}

async function asAdmin(adminUrl: string, statement: string): Promise<void> {
  const admin = openDatabase(adminUrl, { max: 1 })
  try {
    await admin.query(statement)
  } finally {
    await admin.end()
  }
}

/** Address for the superuser, who bypasses row-level security, in the database of `url`. */
export async function adminUrlOf(url: string): Promise<string> {
  if (process.env.TEST_CITUS !== undefined) return url.replace(/(?<=\/\/)[^@]+(?=@)/, 'postgres')
  const { adminUrl } = await findPostgres(false)
  const name = /\/(test_[0-9a-f]+)/.exec(url)?.[1]
  if (name === undefined) throw new Error('not the address of a test database')
  return withDatabase(adminUrl, name)
}

/** Every row of every table, as text. */
export async function dumpRows(database: Database): Promise<string> {
  const tables = await database.query<{ name: string }>(
    `select format('%I', table_name) as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  )
  const rows = await Promise.all(tables.rows.map(({ name }) => database.query<{ row: string }>(`select t::text as row from ${name} t`)))
  return rows.flatMap((table) => table.rows.map(({ row }) => row)).join('\n')
}

/** How a secret may look in such a row. */
export function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [secret, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, ''), encodeURIComponent(secret)]
}
