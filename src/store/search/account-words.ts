import { FIRST_ID } from '../../model/values/first-id.ts'
import { toPlainWords } from '../../model/values/text.ts'
import { type Database, type Db, inTransaction } from '../db/database.ts'
import { toPublicationKey } from '../records/publication-key.ts'
import { inRecordSet, type RecordScope, scopeValues } from '../records/records.ts'

/** Letters of a word, and words of an account, that are stored. */
const MAX_WORD = 40
const MAX_WORDS = 24
/** Accounts whose words are compared by one statement: few, because their documents are parsed in the main thread. */
const ACCOUNTS = 200
/** Publications of one step of the periodic task, and of one transaction of the walk, which holds their locks. */
const [STEP, WALKED] = [100, 20]

interface NamedAccount {
  id: string
  origId: string
  name: string
  number: string
}

/** Words by which an account is found: of its name and number, the end of the number, and both ids. */
export function toAccountWords({ id, origId, name, number }: NamedAccount): string[] {
  const numbers = toPlainWords(number)
  const ends = numbers.slice(-1).map((word) => word.slice(-4))
  const words = [id, origId.toLowerCase().replaceAll('\0', ''), ...numbers, ...ends, ...toPlainWords(name)]
  return [...new Set(words.map((word) => word.slice(0, MAX_WORD)))].filter((word) => word !== '').slice(0, MAX_WORDS)
}

/** Up to `limit` noted publications, of one instance or the earliest of all. */
async function listNotes(db: Db, instanceId: string | null, limit: number): Promise<(RecordScope & { ids: string[] })[]> {
  const { rows } = await db.query<RecordScope & { ids: string[] }>(
    `select instance_id as "instanceId", company_id as "companyId", service_id as "serviceId", array_agg(id) as ids
     from (select * from unindexed_publications ${instanceId === null ? 'order by noted_at, id limit $1' : 'where instance_id = $2 limit $1'}) n
     group by 1, 2, 3 order by 1, 2, 3`,
    instanceId === null ? [limit] : [limit, instanceId],
  )
  return rows
}

/** Stores the words of up to `limit` noted publications; returns the number of publications. */
export async function indexNoted(database: Database, instanceId: string | null, limit: number): Promise<number> {
  const notes = await listNotes(database, instanceId, limit)
  for (const { ids, ...scope } of notes) {
    await inTransaction(database, async (db) => {
      await indexAccounts(db, scope)
      // NOTE only those that were seen before the accounts were read: what was noted meanwhile is read again.
      await db.query('delete from unindexed_publications where instance_id = $1 and id = any($2)', [scope.instanceId, ids])
    })
  }
  return notes.length
}

/**
 * Makes the stored words of the accounts of a company at a service those of its current accounts; none where nothing is
 * published. The lock of the publication keeps it from being closed meanwhile, and others from storing the same words.
 */
export async function indexAccounts(db: Db, scope: RecordScope): Promise<void> {
  const { rowCount } = await db.query('select from publications where key = $1 and company_id = $2 for no key update', [
    toPublicationKey(scope),
    scope.companyId,
  ])
  if (rowCount === 0) return await deleteAccountWords(db, scope)
  for (let after: string | null = FIRST_ID; after !== null; ) after = await indexBatch(db, scope, after)
}

/** NOTE read here: PostgreSQL refuses to read some of the escapes that JSON allows. */
function toNamedAccount(id: string, doc: string): NamedAccount {
  const properties: Record<string, unknown> = JSON.parse(doc)
  const text = (...names: string[]) => names.map((name) => properties[name]).find((value) => typeof value === 'string') ?? ''
  return { id, origId: text('origId'), name: text('accountName', 'name'), number: text('accountNumber', 'number') }
}

/** Returns the last id that was read; null at the end. */
async function indexBatch(db: Db, scope: RecordScope, after: string): Promise<string | null> {
  const key = scopeValues(scope)
  const { rows } = await db.query<{ id: string; doc: string; isShown: boolean }>(
    `select r.id, not r.deleted as "isShown", r.doc from record_versions r
     where ${inRecordSet('r', { entity: "'Accounts'" })} and r.valid_to is null and r.id > $4
     order by r.id limit $5`,
    [...key, after, ACCOUNTS],
  )
  const last = rows.length < ACCOUNTS ? null : (rows.at(-1)?.id ?? null)
  const accounts = rows.filter(({ isShown }) => isShown).map(({ id, doc }) => toNamedAccount(id, doc))
  const wanted = accounts.flatMap((account) => toAccountWords(account).map((word) => ({ id: account.id, word })))
  await db.query(
    `with wanted as materialized (select * from unnest($4::uuid[], $5::text[]) as w (id, word)),
       gone as (
         delete from account_words a where ${OF_SET} and a.id > $6
           and ($7::uuid is null or a.id <= $7) and not exists (select from wanted w where w.id = a.id and w.word = a.word))
     insert into account_words (instance_id, company_id, record_set, id, word)
     select $1, $2, record_set_key($2, $3, 'Accounts'), id, word from wanted on conflict do nothing`,
    [...key, wanted.map(({ id }) => id), wanted.map(({ word }) => word), after, last],
  )
  return last
}

const OF_SET = `a.record_set = record_set_key($2, $3, 'Accounts') and a.instance_id = $1 and a.company_id = $2`

/** Deletes the words of the accounts of a company at a service. */
export async function deleteAccountWords(db: Db, { instanceId, companyId, serviceId }: RecordScope): Promise<void> {
  await db.query(`delete from account_words a where ${OF_SET}`, [instanceId, companyId, serviceId])
}

/**
 * Periodic task that stores the words of changed publications, and once, after the upgrade from a release that stored
 * none, those of all others.
 */
export function accountIndexer(database: Database, isStopping: () => boolean): () => Promise<void> {
  let isWalked = false
  return async () => {
    while (!isStopping() && (await indexNoted(database, null, STEP)) === STEP);
    while (!isWalked && !isStopping()) {
      const step = await inTransaction(database, indexNext)
      if (step === 'busy') return
      isWalked = step === 'done'
    }
  }
}

/** One step of the walk over all publications; busy: another process takes it. */
export async function indexNext(db: Db): Promise<'done' | 'more' | 'busy'> {
  // NOTE not an insert by itself, which would wait for the process that takes a step.
  await db.query(
    `insert into indexed_publications (until_key) select '' where not exists (select from indexed_publications) on conflict do nothing`,
  )
  const { rows: positions } = await db.query<{ key: string; isDone: boolean }>(
    'select until_key as key, is_done as "isDone" from indexed_publications for update skip locked',
  )
  const [position] = positions
  if (!position) return 'busy'
  if (position.isDone) return 'done'
  const { rows } = await db.query<RecordScope & { key: string }>(
    `select key, instance_id as "instanceId", company_id as "companyId", service_id as "serviceId" from publications
     where key > $1 order by key limit $2`,
    [position.key, WALKED],
  )
  for (const scope of rows) await indexAccounts(db, scope)
  const last = rows.at(-1)
  await db.query('update indexed_publications set until_key = $1, is_done = $2', [last?.key ?? position.key, last === undefined])
  return last === undefined ? 'done' : 'more'
}
