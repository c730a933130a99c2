import { randomUUID } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInstance } from '../../src/store/access/instances.ts'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { startEmbeddedPostgres } from '../../src/store/embedded/postgres.ts'
import { insertSubscription } from '../../src/store/webhooks/subscriptions.ts'
import type { Bank } from '../bank/bank.ts'
import { type Deployment, databaseBytes, openDatabaseOf, syncTenant } from '../deployment.ts'
import { printProgress } from '../progress.ts'
import { addCrowd, CROWD_TABLES, type CrowdScope } from './crowd.ts'
import { addMember } from './member.ts'

/** A database whose largest instance has this number of companies. */
export interface Size {
  companies: number
  deployment: Deployment
  scope: CrowdScope
  /** What filling it took and what it takes; of the run that filled it. */
  filled: Filled
}

interface Filled {
  records: number
  gigabytes: number
  seconds: number
  load: number
}

export interface Sizes {
  sizes: Size[]
  close(): Promise<void>
}

/** For databases that can be filled again: nothing waits for the disk, and pages are hardly ever logged whole. */
const FILLING = { fsync: 'off', full_page_writes: 'off', max_wal_size: '8GB', checkpoint_timeout: '30min' }
const MEASURING = { max_wal_size: '4GB' }

/**
 * One PostgreSQL with a database for each size, filled where it is not yet, from where an earlier run was interrupted.
 * `folder` is kept for the next run; without one a temporary folder is used and removed.
 */
export async function openSizes(bank: Bank, companies: readonly number[], folder: string | null): Promise<Sizes> {
  const dataDir = folder ?? (await mkdtemp(join(tmpdir(), 'countinghouse-scale-')))
  await mkdir(dataDir, { recursive: true })
  // When run as root, PostgreSQL runs as another user, which must be able to traverse the folder.
  await chmod(dataDir, 0o711)
  const sizes: Size[] = []
  let postgres = await startEmbeddedPostgres({ dataDir, settings: FILLING })
  const close = async (): Promise<void> => {
    for (const { deployment } of sizes) await deployment.close()
    await postgres.stop()
    if (folder === null) await rm(dataDir, { recursive: true, force: true })
  }
  try {
    for (const count of companies) await fill(bank, dataDir, postgres, count)
    await postgres.stop()
    postgres = await startEmbeddedPostgres({ dataDir, settings: MEASURING })
    for (const count of companies) {
      const note = await readNote(noteOf(dataDir, count))
      if (!note?.filled) throw new Error(`the database of ${count} companies was not filled`)
      const deployment = await openDatabaseOf(bank, dataDir, urlOf(postgres.url, count))
      sizes.push({ companies: count, deployment, scope: note.scope, filled: note.filled })
    }
    return { sizes, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Kept beside a database once it has its lender. */
interface Note {
  scope: CrowdScope
  /** Null until it is full. */
  filled: Filled | null
}

function noteOf(dataDir: string, companies: number): string {
  return join(dataDir, `scale-${companies}.json`)
}

async function readNote(file: string): Promise<Note | null> {
  const text = await readFile(file, 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as Note)
}

// NOTE the address of a socket is no URL: it has no host.
function urlOf(url: string, companies: number): string {
  return url.replace(/\/[^/?]+(?=\?|$)/, `/scale_${companies}`)
}

/** Creates the database of a size, without what an earlier run left of it before it had a lender. */
async function createDatabase(adminUrl: string, name: string): Promise<void> {
  const admin = openDatabase(adminUrl, { max: 1 })
  try {
    await admin.query(`drop database if exists ${name} with (force)`)
    await admin.query(`create database ${name} owner countinghouse`)
  } finally {
    await admin.end()
  }
}

async function fill(bank: Bank, dataDir: string, { url, adminUrl }: { url: string; adminUrl: string }, companies: number): Promise<void> {
  const file = noteOf(dataDir, companies)
  const kept = await readNote(file)
  if (kept?.filled) return
  if (!kept) await createDatabase(adminUrl, `scale_${companies}`)
  const deployment = await openDatabaseOf(bank, dataDir, urlOf(url, companies))
  const scope = kept?.scope ?? (await openLender(deployment))
  await writeFile(file, JSON.stringify({ scope, filled: null } satisfies Note))
  const startedMs = performance.now()
  const database = openDatabase(deployment.databaseUrl, { max: 1 })
  try {
    await database.query(`set statement_timeout = 0; set synchronous_commit = off`)
    // Beside the template, which is a company too.
    const before = (await countRows(database, 'companies')) - 1
    if (before > 0) printProgress(`scale: filling scale_${companies} goes on after ${before} companies`)
    await addCrowd(database, scope, before + 1, companies, (done) => {
      printProgress(`scale: ${done} of ${companies} companies, ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`)
    })
    // Records are read by their heap rows, so that only the others need a visibility map.
    for (const { table } of CROWD_TABLES)
      await database.query(table === 'record_versions' ? `analyze ${table}` : `vacuum (analyze) ${table}`)
    const filled = {
      records: await countRecords(database),
      gigabytes: (await databaseBytes(database)) / 1e9,
      seconds: (performance.now() - startedMs) / 1_000,
      load: loadavg()[0] ?? 0,
    }
    await writeFile(file, JSON.stringify({ scope, filled } satisfies Note))
  } finally {
    await database.end()
    await deployment.close()
  }
}

async function countRows(database: Database, table: string): Promise<number> {
  const { rows } = await database.query<{ count: number }>(`select count(*)::float8 as count from ${table}`)
  return rows[0]?.count ?? 0
}

async function countRecords(database: Database): Promise<number> {
  const { rows } = await database.query<{ count: number }>('select sum(accounts::bigint + transactions)::float8 as count from publications')
  return rows[0]?.count ?? 0
}

/** The lender, with a subscription and one synced company, the template of the crowd. */
async function openLender(deployment: Deployment): Promise<CrowdScope> {
  const { database, serviceId } = deployment
  const instanceId = randomUUID()
  await createInstance(database, { id: instanceId, name: 'Large lender' })
  for (const name of ['companies', 'connections', 'storedBytes'])
    await database.query('insert into instance_quotas (instance_id, name, bound) values ($1, $2, $3)', [instanceId, name, 1e12])
  const subscriptionId = randomUUID()
  await insertSubscription(database, instanceId, subscriptionId, { event: 'NormalizedData', callbackUrl: 'https://receiver.example/hook' })
  const template = await addMember(deployment, instanceId, 'template')
  await syncTenant(deployment, template)
  return { instanceId, serviceId, connectorKey: 'bench-bank', companyId: template.companyId, subscriptionId }
}
