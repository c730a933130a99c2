import { randomUUID } from 'node:crypto'
import { type Database, databaseTime, inTransaction } from '../../src/store/db/database.ts'
import { withinInstance } from '../../src/store/db/instance-scope.ts'
import { raisePublication } from '../../src/store/records/publications.ts'
import { recordColumns } from '../../src/store/records/record-columns.ts'
import { NATURAL_ORDER, readRecordPage } from '../../src/store/records/record-pages.ts'
import { type Published, writeFirst } from './record-statements.ts'

const ENTITY = 'Accounts' as const
const COLUMNS = recordColumns('Banking', ENTITY)
const LIMIT = 10_000

/** What happened under load. */
export interface Load {
  /** Publications, each with one more account. */
  written: number
  read: number
  errors: unknown[]
  /** Pages whose publication said another number of accounts than they had. */
  torn: string[]
}

/**
 * Publishes one account after the other for each company in turn, as the service does, and reads pages meanwhile, until
 * it is stopped. A page and its publication have to be from one moment. After `maxErrors` nothing more is tried.
 */
export function startLoad(database: Database, companies: readonly Published[], maxErrors = 20): { stop(): Promise<Load> } {
  const load: Load = { written: 0, read: 0, errors: [], torn: [] }
  let isStopping = false
  const loop = async (work: (company: Published) => Promise<void>) => {
    for (let turn = 0; !isStopping && load.errors.length < maxErrors; turn += 1) {
      const company = companies[turn % companies.length]
      if (!company) return
      await withinInstance(company.instanceId, () => work(company)).catch((error: unknown) => load.errors.push(error))
    }
  }
  const running = [
    loop(async (company) => {
      await inTransaction(database, async (db) => {
        await writeFirst(db, company, randomUUID())
        await raisePublication(db, company, { at: await databaseTime(db), isFirst: false }, 0)
      })
      load.written += 1
    }),
    loop(async (company) => {
      const torn = await readTorn(database, company)
      if (torn !== null) load.torn.push(torn)
      load.read += 1
    }),
  ]
  return {
    stop: async () => {
      isStopping = true
      await Promise.all(running)
      return load
    },
  }
}

/** Null for a page that is whole. */
async function readTorn(database: Database, company: Published): Promise<string | null> {
  const selection = { filter: [], orderBy: NATURAL_ORDER, descending: false, limit: LIMIT, offset: 0 }
  return await readRecordPage(database, company, ENTITY, selection, {}, COLUMNS, ({ documents, publication }) =>
    documents.length === publication.accounts ? null : `${documents.length} of ${publication.accounts}`,
  )
}

export async function countAccounts(database: Database, companies: readonly Published[]): Promise<number> {
  let count = 0
  for (const company of companies) {
    const { rows } = await database.query<{ count: number }>(
      'select count(*)::int as count from record_versions where company_id = $1 and valid_to is null',
      [company.companyId],
    )
    count += rows[0]?.count ?? 0
  }
  return count
}
