import type { Category } from '../../model/catalogue.ts'
import { toPlainWords } from '../../model/values/text.ts'
import type { Db } from '../db/database.ts'

/** Account of an instance that a search found. */
export interface FoundAccount {
  id: string
  companyId: string
  companyName: string
  serviceId: string
  connectionId: string
  category: Category
  /** JSON text. */
  doc: string
}

/** Stored words looked at by one search, so that common words cost no more at a million accounts than at a thousand. */
const LOOKED_AT = 2_000
/** Above every letter. */
const LAST_LETTER = '\u{10ffff}'

/**
 * Published accounts whose names, numbers or ids have words that begin with those typed, at most `limit`: those of the
 * rarest word come first, in the order of that word. Words that are all common are looked for among the first
 * `LOOKED_AT` accounts that have the rarest of them.
 */
export async function findAccounts(db: Db, instanceId: string, typed: string, limit: number): Promise<FoundAccount[]> {
  const text = typed.trim().toLowerCase()
  const words = [...new Set(toPlainWords(text))]
  const found = await findWith(db, instanceId, words, limit)
  const isId = /^\S*[^\p{L}\p{N}\s]\S*$/u.test(text)
  const byId = isId ? await findWith(db, instanceId, [text], limit) : []
  return [...new Map([...byId, ...found].map((account) => [`${account.id}/${account.serviceId}`, account])).values()].slice(0, limit)
}

/** NOTE three statements, so that none joins accounts, which may be distributed, with tables that are not. */
async function findWith(db: Db, instanceId: string, words: readonly string[], limit: number): Promise<FoundAccount[]> {
  const [rarest, ...others] = await byRarity(db, instanceId, words)
  if (rarest === undefined) return []
  const keys = await listKeys(db, instanceId, { rarest, others }, limit)
  const accounts = await readAccounts(db, instanceId, keys, limit)
  const { rows: connections } = await db.query<{ id: string; category: Category; companyName: string }>(
    `select c.id, c.category, m.name as "companyName" from connections c join companies m on m.instance_id = $1 and m.id = c.company_id
     where c.instance_id = $1 and c.id = any ($2) and c.status <> 26`,
    [instanceId, accounts.map(({ connectionId }) => connectionId)],
  )
  const known = new Map(connections.map(({ id, ...connection }) => [id, connection]))
  return accounts.flatMap((account) => {
    const connection = known.get(account.connectionId)
    return connection ? [{ ...account, ...connection }] : []
  })
}

type AccountRow = Omit<FoundAccount, 'companyName' | 'category'>

/** Published accounts in the order of their keys. */
async function readAccounts(db: Db, instanceId: string, keys: readonly AccountKey[], limit: number): Promise<AccountRow[]> {
  if (db.isDistributed) return (await listFromNodes(db, instanceId, keys)).slice(0, limit)
  const { rows } = await db.query<AccountRow>({
    name: 'accounts-of-keys',
    text: `select r.id, r.company_id as "companyId", r.service_id as "serviceId", r.connection_id as "connectionId", r.doc
       from unnest($2::bigint[], $3::uuid[], $4::uuid[]) with ordinality as k (record_set, id, company_id, place)
       cross join lateral (
         select * from record_versions v where v.record_set = k.record_set and v.id = k.id and v.instance_id = $1 and v.company_id = k.company_id
           and v.entity = 'Accounts' and v.valid_to is null and v.deleted is not true limit 1) r
       order by k.place limit $5`,
    values: [instanceId, keys.map((one) => one.recordSet), keys.map((one) => one.id), keys.map((one) => one.companyId), limit],
  })
  return rows
}

/** On a cluster, where nodes cannot be asked row by row. */
async function listFromNodes(db: Db, instanceId: string, keys: readonly AccountKey[]): Promise<AccountRow[]> {
  const { rows } = await db.query<AccountRow & { recordSet: string }>(
    `select record_set as "recordSet", id, company_id as "companyId", service_id as "serviceId", connection_id as "connectionId", doc
     from record_versions where instance_id = $1 and record_set = any ($2::bigint[]) and id = any ($3::uuid[]) and company_id = any ($4::uuid[])
       and entity = 'Accounts' and valid_to is null and deleted is not true`,
    [instanceId, keys.map((one) => one.recordSet), keys.map((one) => one.id), keys.map((one) => one.companyId)],
  )
  const found = new Map(rows.map(({ recordSet, ...row }) => [`${recordSet}/${row.id}`, row]))
  return keys.flatMap(({ recordSet, id }) => found.get(`${recordSet}/${id}`) ?? [])
}

interface AccountKey {
  recordSet: string
  id: string
  companyId: string
}

/** Accounts that have a word beginning with each of these; twice as many as wanted, since some may be gone. */
async function listKeys(
  db: Db,
  instanceId: string,
  words: { rarest: string; others: readonly string[] },
  limit: number,
): Promise<AccountKey[]> {
  const { rows } = await db.query<AccountKey>({
    name: 'find-accounts',
    text: `select a.record_set as "recordSet", a.id, a.company_id as "companyId"
       from (select record_set, id, company_id, min(word) as word from (
           select record_set, id, company_id, word from account_words where instance_id = $1 and word >= $2 and word < $2 || '${LAST_LETTER}'
           order by word, record_set, id limit ${LOOKED_AT}) a
         group by record_set, id, company_id order by word, record_set, id offset 0) a
       where not exists (select from unnest($3::text[]) as w (word) where not exists (
         select from account_words o where o.record_set = a.record_set and o.id = a.id and o.instance_id = $1
           and o.word >= w.word and o.word < w.word || '${LAST_LETTER}'))
       order by a.word, a.record_set, a.id limit $4`,
    values: [instanceId, words.rarest, words.others, 2 * limit],
  })
  return rows
}

/** Words by the number of accounts that have them, the rarest first; none if one of them is in no account. */
async function byRarity(db: Db, instanceId: string, words: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ word: string; count: number }>({
    name: 'count-account-words',
    text: `select w.word, c.count from unnest($2::text[]) as w (word) cross join lateral (
         select count(*)::int as count from (
           select from account_words where instance_id = $1 and word >= w.word and word < w.word || '${LAST_LETTER}' limit ${LOOKED_AT}) a) c
       order by c.count, length(w.word) desc`,
    values: [instanceId, words],
  })
  return rows.some(({ count }) => count === 0) ? [] : rows.map(({ word }) => word)
}
