import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addKey, type Keys, openKeys } from '../../src/store/keys/keys.ts'
import { reEncryptAll } from '../../src/store/keys/re-encrypt.ts'
import { SEALED_COLUMNS } from '../../src/store/keys/sealed-columns.ts'
import { createSealer, type SealContext, type Sealer } from '../../src/store/keys/sealing.ts'
import { countSealed } from '../../src/store/keys/sealing-key-counts.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'

/** Rows of one statement. */
const ROWS = 1_000

let db: TestDatabase
let dataDir = ''
let keys: Keys
let sealer: Sealer
beforeEach(async () => {
  db = await testDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'countinghouse-rewrap-'))
  keys = await openKeys(dataDir)
  sealer = createSealer(keys)
  // Only sealed values matter here, not what they belong to.
  const client = await db.database.connect()
  for (const statement of await keysElsewhere()) await client.query(statement)
  client.release()
})
afterEach(async () => {
  await db.drop()
  await rm(dataDir, { recursive: true })
})

async function keysElsewhere(): Promise<string[]> {
  const { rows } = await db.database.query<{ statement: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as statement from pg_constraint
     where contype = 'f' and conrelid::regclass::text = any($1)`,
    [SEALED_COLUMNS.map(({ table }) => table)],
  )
  return rows.map(({ statement }) => statement)
}

interface SealedValue {
  context: SealContext
  text: string
  /** Query that reads the value back; parameters are instance and row. */
  read: string
  ids: string[]
}

/** One sealed value in every table, each bound as by the module that uses it. */
async function sealOne(): Promise<SealedValue[]> {
  const [instanceId, id, other] = [randomUUID(), randomUUID(), randomUUID()]
  const text = `secret of ${id}`
  const placed: SealedValue[] = []
  const put = async (context: Omit<SealContext, 'instanceId'>, insert: string, read: string, ids = [instanceId, id]): Promise<void> => {
    const full = { instanceId, ...context }
    await db.database.query(insert, [instanceId, id, sealer.seal(full, Buffer.from(text))])
    placed.push({ context: full, text, read, ids })
  }
  await put(
    { table: 'connections', rowId: id, column: 'credentials', generation: 7 },
    `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, update_scheduled_at,
       refresh_hours, credentials, credentials_generation)
     values ($1, $2, $2, $2, 'xero', 'Accounting', '', 15, now(), 24, $3, 7)`,
    'select credentials as sealed from connections where instance_id = $1 and id = $2',
  )
  const version = { table: 'credential_versions', rowId: `${other}/${id}`, column: 'sealed', generation: 8 }
  await put(
    version,
    `insert into credential_versions (instance_id, connection_id, id, base_generation, issued_at, sealed)
     values ($1, '${other}', $2, 7, now(), $3)`,
    'select sealed from credential_versions where instance_id = $1 and id = $2',
  )
  await put(
    { table: 'authorizations', rowId: id, column: 'memo' },
    `insert into authorizations (instance_id, id, link_id, connection_id, state_hash, memo, expires_at)
     values ($1, $2, $2, $2, uuid_send($2), $3, now() + interval '1 hour')`,
    'select memo as sealed from authorizations where instance_id = $1 and id = $2',
  )
  await put(
    { table: 'source_files', rowId: id, column: 'sealed' },
    `insert into source_files (instance_id, id, connection_id, company_id, name, content_hash, sealed)
     values ($1, $2, $2, $2, 'a.ofx', '', $3)`,
    'select sealed from source_files where instance_id = $1 and id = $2',
  )
  await put(
    { table: 'subscription_secrets', rowId: id, column: 'sealed' },
    'insert into subscription_secrets (instance_id, id, subscription_id, sealed) values ($1, $2, $2, $3)',
    'select sealed from subscription_secrets where instance_id = $1 and id = $2',
  )
  await put(
    { table: 'two_steps', rowId: id, column: 'secret' },
    'insert into two_steps (instance_id, user_id, secret, started_at) values ($1, $2, $3, now())',
    'select secret as sealed from two_steps where instance_id = $1 and user_id = $2',
  )
  await put(
    { table: 'raw_pages', rowId: id, column: 'sealed' },
    `insert into raw_pages (instance_id, id, connection_id, company_id, pull, page, fetched_at, content_hash, sealed)
     values ($1, $2, $2, $2, 'accounts', 0, now(), '', $3)`,
    'select sealed from raw_pages where instance_id = $1 and id = $2',
  )
  await put(
    { table: 'source_keys', rowId: id, column: 'sealed', generation: 3 },
    `insert into source_keys (instance_id, id, connector_key, app, sealed, generation, names, test, test_reason)
     values ($1, $2, 'xero', 'a', $3, 3, '{}', 'accepted', '')`,
    'select sealed from source_keys where instance_id = $1 and id = $2',
  )
  await put(
    { table: 'mails', rowId: id, column: 'sealed' },
    `insert into mails (instance_id, id, kind, recipient_hash, recipient_shown, sealed) values ($1, $2, 'link', '', '', $3)`,
    'select sealed from mails where instance_id = $1 and id = $2',
  )
  await put(
    { table: 'hand_offs', rowId: id, column: 'helper' },
    'insert into hand_offs (instance_id, link_id, helper) values ($1, $2, $3)',
    'select helper as sealed from hand_offs where instance_id = $1 and link_id = $2',
  )
  await put(
    { table: 'owner_addresses', rowId: id, column: 'address' },
    `insert into owner_addresses (instance_id, company_id, address, locale) values ($1, $2, $3, 'en')`,
    'select address as sealed from owner_addresses where instance_id = $1 and company_id = $2',
  )
  await put(
    { table: 'jobs', rowId: id, column: 'farewell' },
    `insert into jobs (instance_id, kind, key, payload) values ($1, 'erase', 'erase/' || $2::uuid, jsonb_build_object('connectionId', $2::uuid,
       'farewell', translate(encode($3::bytea, 'base64'), E'\\n', '')))`,
    `select decode(payload->>'farewell', 'base64') as sealed from jobs where instance_id = $1 and payload->>'connectionId' = $2`,
  )
  return placed
}

async function opened(placed: SealedValue, by: Sealer): Promise<string> {
  const { rows } = await db.database.query<{ sealed: Uint8Array }>(placed.read, placed.ids)
  return Buffer.from(by.open(placed.context, rows[0]?.sealed ?? Buffer.alloc(0))).toString()
}

async function countOf(key: string): Promise<number> {
  return (await countSealed(db.database)).filter((row) => row.key === key).reduce((sum, { count }) => sum + count, 0)
}

/** A sealer without the older keys. */
function onlyNewest(): Sealer {
  const { newest } = keys.sealing
  return createSealer({ sealing: { newest, find: (id) => (id === newest.id ? newest : undefined), all: [newest] } })
}

describe('a new sealing key', () => {
  it('is applied to every sealed value of every table, each still bound to its own row', async () => {
    const placed = (await Promise.all([sealOne(), sealOne()])).flat()
    const before = keys.sealing.newest.id
    await addKey(dataDir, 'sealing')
    keys.sealing.refresh()
    expect(await reEncryptAll(db.database, sealer)).toEqual({ reEncrypted: placed.length, unreadable: 0 })
    expect(await countOf(before)).toBe(0)
    for (const value of placed) expect(await opened(value, onlyNewest()), value.context.table).toBe(value.text)
    expect(await reEncryptAll(db.database, sealer), 'nothing is left to do').toEqual({ reEncrypted: 0, unreadable: 0 })
  })

  it('is found by a running process as soon as it meets a value that another has sealed with it', async () => {
    const context = { instanceId: randomUUID(), table: 'connections', rowId: randomUUID(), column: 'credentials' }
    await addKey(dataDir, 'sealing')
    const sealed = createSealer(await openKeys(dataDir)).seal(context, Buffer.from('fresh'))
    expect(Buffer.from(sealer.open(context, sealed)).toString()).toBe('fresh')
    expect(sealer.isCurrent(sealer.seal(context, Buffer.from('next')))).toBe(true)
    expect(keys.sealing.all).toHaveLength(2)
  })

  it('leaves values that no key opens unchanged, and counts them', async () => {
    const [first] = await sealOne()
    await db.database.query(`update connections set credentials = set_byte(credentials, 40, get_byte(credentials, 40) # 1)`)
    const { rows: before } = await db.database.query('select credentials from connections')
    await addKey(dataDir, 'sealing')
    keys.sealing.refresh()
    expect(await reEncryptAll(db.database, sealer)).toMatchObject({ unreadable: 1 })
    expect((await db.database.query('select credentials from connections')).rows).toEqual(before)
    expect(first?.context.table).toBe('connections')
  })

  it('waits for nobody: a locked row is left to the next time', async () => {
    const placed = await sealOne()
    await addKey(dataDir, 'sealing')
    keys.sealing.refresh()
    const holder = await db.database.connect()
    await holder.query('begin')
    await holder.query('select 1 from connections for update')
    expect((await reEncryptAll(db.database, sealer)).reEncrypted).toBe(placed.length - 1)
    await holder.query('commit')
    holder.release()
    expect((await reEncryptAll(db.database, sealer)).reEncrypted).toBe(1)
  })

  it('is applied everywhere even if the process is killed repeatedly', { timeout: 600_000 }, async () => {
    const instanceId = randomUUID()
    const ids = Array.from({ length: effort.sealedRows }, () => randomUUID())
    const sealed = ids.map((id) => sealer.seal({ instanceId, table: 'raw_pages', rowId: id, column: 'sealed' }, Buffer.from(id)))
    // Pages without their connections, which the sums of stored bytes would need.
    await db.database.query('alter table stored_bytes drop constraint stored_bytes_instance_id_connection_id_fkey')
    for (let from = 0; from < ids.length; from += ROWS) {
      const some = ids.slice(from, from + ROWS)
      // NOTE rows as values: a cluster would send selected ones with COPY, which row-level security refuses.
      const rows = some.map((_, at) => `($1, $${2 * at + 2}, $${2 * at + 2}, $${2 * at + 2}, 'accounts', 0, now(), '', $${2 * at + 3})`)
      await db.database.query(
        `insert into raw_pages (instance_id, id, connection_id, company_id, pull, page, fetched_at, content_hash, sealed) values ${rows.join(', ')}`,
        [instanceId, ...some.flatMap((id, at) => [id, sealed[from + at]])],
      )
    }
    const before = keys.sealing.newest.id
    await addKey(dataDir, 'sealing')
    let kills = 0
    for (let left = ids.length; left > 0; ) {
      const child = spawn(process.execPath, [new URL('./re-encrypt-process.ts', import.meta.url).pathname, db.url, dataDir], {
        stdio: 'ignore',
      })
      const exited = once(child, 'exit')
      let isOver = false
      void exited.then(() => {
        isOver = true
      })
      // Killed as soon as some of its work shows, at an arbitrary point.
      while (!isOver && (await countOf(before)) === left) await db.database.query('select pg_sleep(0.005)')
      if (kills < 5 && child.kill('SIGKILL')) kills += 1
      await exited
      left = await countOf(before)
    }
    reportFigure('sealed values brought under a new key', ids.length)
    reportFigure('  kills on the way', kills)
    keys.sealing.refresh()
    const reader = onlyNewest()
    const { rows } = await db.database.query<{ id: string; sealed: Uint8Array }>('select id, sealed from raw_pages')
    const wrong = rows.filter(
      (row) =>
        Buffer.from(reader.open({ instanceId, table: 'raw_pages', rowId: row.id, column: 'sealed' }, row.sealed)).toString() !== row.id,
    )
    expect(wrong).toEqual([])
  })
})

/**
 * Bytes, but no secrets: a public logo, events as sent to the sandbox's receiver, hashes of their keys, and the public
 * halves of passkeys.
 */
const PLAIN_BYTES = [
  ...['owner_pages.logo', 'receiver_requests.body', 'event_keys.digest'],
  ...['passkeys.credential_id', 'passkeys.public_key', 'passkey_challenges.challenge'],
]

it('every column that may hold a sealed value is known to the rotation', async () => {
  const { rows } = await db.database.query<{ column: string }>(
    `select table_name || '.' || column_name as "column" from information_schema.columns
     where table_schema = 'public' and not exists (select from pg_inherits where inhrelid = table_name::regclass) and data_type = 'bytea' and column_name !~ '(hash|^key|fingerprint|seen|memo_match)$'`,
  )
  const known = [...SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`), ...PLAIN_BYTES]
  expect(rows.map(({ column }) => column).filter((column) => !known.includes(column))).toEqual([])
})
