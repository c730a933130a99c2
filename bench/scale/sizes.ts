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

/**
 * One PostgreSQL with a database for each size, filled where it is not yet. `folder` is kept for the next run; without one
 * a temporary folder is used and removed.
 */
export async function openSizes(bank: Bank, companies: readonly number[], folder: string | null): Promise<Sizes> {
  const dataDir = folder ?? (await mkdtemp(join(tmpdir(), 'countinghouse-scale-')))
  await mkdir(dataDir, { recursive: true })
  // When run as root, PostgreSQL runs as another user, which must be able to traverse the folder.
  await chmod(dataDir, 0o711)
  const postgres = await startEmbeddedPostgres({ dataDir, settings: { max_wal_size: '4GB' } })
  const sizes: Size[] = []
  const close = async (): Promise<void> => {
    for (const { deployment } of sizes) await deployment.close()
    await postgres.stop()
    if (folder === null) await rm(dataDir, { recursive: true, force: true })
  }
  try {
    for (const count of companies) {
      const note = join(dataDir, `scale-${count}.json`)
      const kept = await readNote(note)
      const url = await createDatabaseOnce(postgres, `scale_${count}`, kept !== null)
      const deployment = await openDatabaseOf(bank, dataDir, url)
      sizes.push({ companies: count, deployment, ...(kept ?? (await fill(deployment, count, note))) })
    }
    return { sizes, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** What a run notes once it has filled a database to its end. */
type Note = Pick<Size, 'scope' | 'filled'>

async function readNote(file: string): Promise<Note | null> {
  const text = await readFile(file, 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as Note)
}

/** A database that is there without its note was not filled to its end, and begins again. */
async function createDatabaseOnce({ url, adminUrl }: { url: string; adminUrl: string }, name: string, isFilled: boolean): Promise<string> {
  const admin = openDatabase(adminUrl, { max: 1 })
  try {
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [name])
    const isThere = rowCount === 1
    if (isFilled && !isThere) throw new Error(`${name} is noted as filled and does not exist: remove its note`)
    if (isThere && !isFilled) {
      printProgress(`scale: filling ${name} was interrupted: it is removed and filled again`)
      await admin.query(`drop database ${name} with (force)`)
    }
    if (!isFilled) await admin.query(`create database ${name} owner countinghouse`)
  } finally {
    await admin.end()
  }
  // NOTE the address of a socket is no URL: it has no host.
  return url.replace(/\/[^/?]+(?=\?|$)/, `/${name}`)
}

async function fill(deployment: Deployment, companies: number, note: string): Promise<Note> {
  const scope = await openLender(deployment)
  const startedMs = performance.now()
  const database = openDatabase(deployment.databaseUrl, { max: 1 })
  try {
    await database.query(`set statement_timeout = 0; set synchronous_commit = off`)
    await addCrowd(database, scope, 1, companies, (done) => {
      if (done % 5_000 === 0)
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
    await writeFile(note, JSON.stringify({ scope, filled }))
    return { scope, filled }
  } finally {
    await database.end()
  }
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
