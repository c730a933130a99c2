import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { applyRetention, RETAINED_CLASSES, type RetentionMonths } from '../../src/sync/connection/retention.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'
import { earlier } from './earlier.ts'

const NEVER = Object.fromEntries(RETAINED_CLASSES.map((of) => [of, null])) as RetentionMonths
const books = new ScriptedSource('books')
const harness = openForTests(() => openSyncHarness([books]))
let id = ''
beforeAll(async () => {
  books.accounts = [{ id: '1', name: 'One' }]
  id = await harness.connect(books)
  await harness.sync(id, { reason: 'first' })
})

/** Runs a pass with these periods; returns the numbers of deleted rows. */
async function deletedBy(months: Partial<RetentionMonths>): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {}
  await applyRetention(
    harness.deps.database,
    { ...NEVER, ...months },
    {
      onDeleted: (of, count) => {
        deleted[of] = (deleted[of] ?? 0) + count
      },
      isStopping: () => false,
    },
  )
  return deleted
}

async function list(sql: string, values: unknown[] = []): Promise<string[]> {
  const { rows } = await harness.deps.database.query<{ it: string }>(sql, values)
  return rows.map((row) => row.it)
}

const age = (table: string, ...columns: string[]) =>
  harness.deps.database.query(`update ${table} set ${columns.map((column) => `${column} = ${earlier(column, '14 months')}`).join(', ')}`)

it('"never" deletes nothing, however old it is', async () => {
  await age('sync_runs', 'started_at', 'ended_at')
  await age('links', 'expires_at')
  await age('connection_timeline', 'at')
  expect(await deletedBy({})).toEqual({})
})

describe('runs', () => {
  const runs = () => list('select reason as it from sync_runs order by started_at')

  it('are deleted if no version and no quarantined record came from them; the newest stays', async () => {
    await harness.sync(id)
    books.accounts = [{ id: '1', name: 7 }]
    await harness.sync(id, { reason: 'hint' })
    books.accounts = [{ id: '1', name: 'One' }]
    await harness.sync(id, { reason: 'resume' })
    expect(await runs()).toEqual(['first', 'schedule', 'hint', 'resume'])
    const [aside] = await list('select run_id as it from quarantined_records')
    expect(aside === undefined ? [] : await list('select reason as it from sync_runs where id = $1', [aside])).toEqual([])
    await age('sync_runs', 'started_at', 'ended_at')
    expect(await deletedBy({ runs: 15 })).toEqual({})
    // The first run published the record, and is older than 15 months.
    expect(await deletedBy({ runs: 13 })).toEqual({ runs: 2 })
    expect(await runs()).toEqual(['first', 'resume'])
  })

  it('that stay are checked again only after another period', async () => {
    const [before] = await list('select reviewed_at::text as it from sync_runs order by started_at')
    expect(before).not.toBeNull()
    await deletedBy({ runs: 13 })
    expect(await list('select reviewed_at::text as it from sync_runs order by started_at')).toContain(before)
  })

  it('are deleted, too, once their versions are', async () => {
    books.accounts = [{ id: '1', name: 'One, renamed' }]
    await harness.sync(id)
    await age('sync_runs', 'started_at', 'ended_at', 'reviewed_at')
    await harness.sync(id)
    expect(await deletedBy({ runs: 13 }), 'a closed version came from the first').toEqual({ runs: 1 })
    await age('record_versions', 'valid_to')
    await age('sync_runs', 'reviewed_at')
    expect(await deletedBy({ versions: 13, runs: 13 })).toEqual({ versions: 1, runs: 1 })
    expect(await list('select valid_to::text as it from record_versions'), 'the current version').toEqual([null])
  })
})

describe('links', () => {
  it('stay while the consent given through them is open, and are deleted once it has ended', async () => {
    const [link] = await list('select id as it from links')
    await harness.deps.database.query(`insert into consent_texts (instance_id, hash, texts) values ($1, 'x', '{}')`, [harness.instanceId])
    await harness.deps.database.query(
      `insert into consents (instance_id, id, company_id, service_id, link_id, connection_id, purpose_key, purpose_version, text_hash,
         language, duration_days, given_at, expires_at)
       select instance_id, $1, company_id, service_id, id, $2, 'p', 0, 'x', 'en', 3650, now(), now() + interval '9 years' from links`,
      [randomUUID(), id],
    )
    expect(await deletedBy({ links: 13 })).toEqual({})
    await harness.deps.database.query(
      `insert into links (instance_id, id, token_hash, company_id, service_id, issued_by, expires_at)
       select instance_id, $1, 'other', company_id, service_id, issued_by, expires_at from links`,
      [randomUUID()],
    )
    expect(await deletedBy({ links: 15 })).toEqual({})
    expect(await deletedBy({ links: 13 })).toEqual({ links: 1 })
    expect(await list('select id as it from links')).toEqual([link])
    await harness.deps.database.query(`update consents set ended_at = clock_timestamp(), ended_how = 'withdrawn'`)
    expect(await deletedBy({ links: 13 })).toEqual({ links: 1 })
    expect(await list('select purpose_key as it from consents'), 'the consent itself stays').toHaveLength(1)
  })
})

describe('the timeline', () => {
  it('keeps the current status, since when it has been connected, and since when its owner is needed', async () => {
    await harness.deps.database.query('delete from connection_timeline')
    for (const [month, status] of [6, 9, 10, 8, 9, 15, 8, 15, 10].entries()) {
      await harness.deps.database.query(
        `insert into connection_timeline (instance_id, connection_id, at, to_status)
         values ($1, $2, clock_timestamp() - interval '40 months' + make_interval(months => $3), $4)`,
        [harness.instanceId, id, month, status],
      )
    }
    expect(await deletedBy({ timeline: 60 })).toEqual({})
    expect(await deletedBy({ timeline: 24 })).toEqual({ timeline: 6 })
    expect(await list('select to_status as it from connection_timeline order by at')).toEqual([9, 8, 10])
  })
})

describe('uploaded files', () => {
  it('lose their bytes once a run has read them, and are still recognized', async () => {
    const put = (name: string, months: number) =>
      harness.deps.database.query(
        `insert into source_files (instance_id, id, connection_id, company_id, name, content_hash, sealed, received_at)
         values ($1, $2, $3, $6, $4::text, convert_to($4::text, 'UTF8'), 'sealed', clock_timestamp() - make_interval(months => $5))`,
        [harness.instanceId, randomUUID(), id, name, months, harness.companyId],
      )
    const kept = () => list('select name as it from source_files where sealed is not null order by name')
    await put('old', 30)
    await put('young', 20)
    await harness.deps.database.query(`update sync_runs set started_at = ${earlier('$1::timestamptz', '35 months')}`, [new Date()])
    expect(await deletedBy({ sourceFiles: 24 }), 'no run has read it').toEqual({})
    await harness.sync(id, { reason: 'file' })
    expect(await deletedBy({ sourceFiles: 24 })).toEqual({ sourceFiles: 1 })
    expect(await kept()).toEqual(['young'])
    expect(await list(`select name as it from source_files where content_hash = 'old'`)).toEqual(['old'])
  })
})

describe('receipts', () => {
  it('stay as long as the data they refer to may exist', async () => {
    await harness.deps.database.query(
      `insert into receipts (instance_id, id, company_id, connection_id, kind, issued_at, service_name, signed)
       values ($1, $2, $3, $4, 'withdrawal', clock_timestamp() - interval '14 months', 'Books', 'x')`,
      [harness.instanceId, randomUUID(), harness.companyId, id],
    )
    expect(await deletedBy({ receipts: 13 })).toEqual({})
    await harness.deps.database.query('update connections set erased_at = clock_timestamp()')
    expect(await deletedBy({ receipts: 15 })).toEqual({})
    expect(await deletedBy({ receipts: 13 })).toEqual({ receipts: 1 })
  })
})

it('says of every table why its rows stay or are deleted', async () => {
  const text = readFileSync('docs/retention.md', 'utf8')
  const tables = await list(
    `select relname as it from pg_class c where relkind = 'r' and relnamespace = current_schema()::regnamespace
       and not exists (select from pg_inherits i where i.inhrelid = c.oid)`,
  )
  expect(tables.length).toBeGreaterThan(50)
  expect(tables.filter((table) => !text.includes(`\`${table}\``)).sort()).toEqual([])
})
