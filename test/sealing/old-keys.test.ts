import { beforeAll, describe, expect, it } from 'vitest'
import { HASHED_COLUMNS } from '../../src/store/keys/hashed-columns.ts'
import { addKey, type Keys, openKeys, refreshKeys } from '../../src/store/keys/keys.ts'
import { readOldKeys } from '../../src/store/keys/old-keys.ts'
import { SEALED_COLUMNS } from '../../src/store/keys/sealed-columns.ts'
import { databaseForTests, folderForTests } from '../harness/for-tests.ts'

const MINUTE_MS = 60_000
const INSTANCE = '00000000-0000-4000-8000-000000000001'

/** Columns of bytes that depend on no key, or are of no use after a day. */
const OTHERS = [
  'audit_chains.hash',
  'audit_chains.start_hash',
  'authorizations.memo_match',
  'authorizations.state_hash',
  'consent_texts.hash',
  'consents.text_hash',
  'feed_arrivals.path_hash',
  'feed_files.content_hash',
  'feed_files.path_hash',
  'idempotency_keys.key_hash',
  'idempotency_keys.request_hash',
  'key_fingerprint.fingerprint',
  'known_networks.key',
  'login_rate_limits.key',
  'logout_tokens.token_hash',
  'mails.recipient_hash',
  'operator_links.token_hash',
  'operator_sessions.token_hash',
  'password_resets.token_hash',
  'source_alarms.client_hash',
]

const test = databaseForTests()
const dataDir = folderForTests()
let keys: Keys
let nowMs = Date.parse('2026-11-20T12:00:00Z')

beforeAll(async () => {
  keys = await openKeys(dataDir.path, () => new Date(nowMs))
  await test.database.query(`insert into instances (id, name) values ($1, 'Maple Lending')`, [INSTANCE])
})

const at = (minutes: number) => new Date(Date.parse('2026-11-20T12:00:00Z') + minutes * MINUTE_MS)

async function addOwnerPage(minutes: number): Promise<void> {
  await test.database.query(
    `with company as (insert into companies (instance_id, id, name) values ($1, gen_random_uuid(), 'Boulangerie') returning id)
     insert into owner_accesses (instance_id, id, company_id, token_hash, created_at)
     select $1, gen_random_uuid(), id, decode(md5(random()::text), 'hex'), $2 from company`,
    [INSTANCE, at(minutes)],
  )
}

async function addMail(sealingKeyId: string): Promise<void> {
  await test.database.query(
    `insert into mails (instance_id, id, kind, recipient_hash, recipient_shown, sealed)
     values ($1, gen_random_uuid(), 'x', '\\x00', 'a', '\\x01'::bytea || decode($2, 'hex') || decode(repeat('00', 90), 'hex'))`,
    [INSTANCE, sealingKeyId],
  )
}

describe('older keys', () => {
  it('are not listed before a rotation', async () => {
    await addOwnerPage(0)
    expect(await readOldKeys(test.database, keys)).toEqual([])
  })

  it('are listed with what was created under them, by the time at which the next key began to write', async () => {
    const [first] = keys.tokenHash.all
    await addKey(dataDir.path, 'token-hash', at(10))
    refreshKeys(keys)
    expect(await readOldKeys(test.database, keys), 'the new key does not write yet').toEqual([])
    nowMs = at(20).getTime()
    await addOwnerPage(19)
    expect(await readOldKeys(test.database, keys)).toEqual([
      { purpose: 'token-hash', id: first?.id, needs: [{ what: 'owner pages', count: 1 }] },
    ])
    await addKey(dataDir.path, 'token-hash', at(30))
    refreshKeys(keys)
    nowMs = at(40).getTime()
    const [, second] = keys.tokenHash.all
    expect(await readOldKeys(test.database, keys)).toEqual([
      { purpose: 'token-hash', id: first?.id, needs: [{ what: 'owner pages', count: 1 }] },
      { purpose: 'token-hash', id: second?.id, needs: [{ what: 'owner pages', count: 1 }] },
    ])
  })

  it('are not needed by what has ended', async () => {
    await test.database.query('update owner_accesses set revoked_at = now() where created_at < $1', [at(10)])
    const [first] = await readOldKeys(test.database, keys)
    expect(first?.needs).toEqual([])
  })

  it('are needed by the seal of an audit chain whose entries retention has deleted', async () => {
    const [first] = keys.tokenHash.all
    await test.database.query(
      `insert into audit_chains (instance_id, position, hash, start_position, start_hash, sealed_position, head_hash)
       values ($1, 7, '\\x01', 7, '\\x01', 7, '\\x02')`,
      [INSTANCE],
    )
    const needs = async () => (await readOldKeys(test.database, keys)).find(({ id }) => id === first?.id)?.needs
    expect(await needs()).toContainEqual({ what: 'audit chains without entries', count: 1 })
    await test.database.query('delete from audit_chains')
    expect(await needs()).toEqual([])
  })

  it('for encryption are listed with the values that name them', async () => {
    const [first] = keys.sealing.all
    if (!first) throw new Error('there is no key')
    await addMail(first.id)
    await addKey(dataDir.path, 'sealing')
    refreshKeys(keys)
    const sealing = async () => (await readOldKeys(test.database, keys)).filter(({ purpose }) => purpose === 'sealing')
    expect(await sealing()).toEqual([{ purpose: 'sealing', id: first.id, needs: [{ what: 'values in mails', count: 1 }] }])
    await test.database.query('delete from mails')
    expect(await sealing()).toEqual([{ purpose: 'sealing', id: first.id, needs: [] }])
  })

  it('are searched for in every column of hashes: a new one must be listed as hashed, sealed, or neither', async () => {
    const { rows } = await test.database.query<{ name: string }>(
      `select c.relname || '.' || a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
         and a.atttypid = 'bytea'::regtype and (a.attname like '%hash%' or a.attname in ('key', 'fingerprint', 'memo_match')) order by 1`,
    )
    const content = rows.map(({ name }) => name).filter((name) => !name.endsWith('.content_hash') || OTHERS.includes(name))
    const known = [...HASHED_COLUMNS, ...SEALED_COLUMNS].map(({ table, column }) => `${table}.${column}`)
    expect(content.filter((name) => !known.includes(name))).toEqual(OTHERS)
  })
})
