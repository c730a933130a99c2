import { expect, it } from 'vitest'
import { disconnect } from '../../src/sync/connection/connection-actions.ts'
import { openSyncHarness } from './harness.ts'
import { ScriptedSource } from './scripted-source.ts'

/** Tables that keep rows of a connection that has ended: its history, the consent given for it, and a count of bytes that is 0 then. */
const KEPT = ['connection_timeline', 'consents', 'stored_bytes']
/** Tables that the first part of the test fills; a table that nothing fills proves nothing. */
const FILLED = ['quarantined_records', 'raw_pages', 'record_versions', 'sync_runs']

const books = new ScriptedSource('books')

it('a connection that has ended has rows in no table but those of its history', async () => {
  const harness = await openSyncHarness([books])
  try {
    const { database } = harness.deps
    const { rows } = await database.query<{ name: string }>(
      `select c.table_name::text as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
       where c.table_schema = 'public' and c.column_name = 'connection_id' and t.table_type = 'BASE TABLE'`,
    )
    const tablesOf = async (id: string): Promise<string[]> => {
      const counts = rows.map(async ({ name }) => {
        const found = await database.query(`select from ${name} where connection_id = $1 limit 1`, [id])
        return found.rowCount ? [name] : []
      })
      return (await Promise.all(counts)).flat().sort()
    }
    books.accounts = [
      { id: '1', name: 'Cash', balance: '1.00' },
      { id: '2', name: 7, balance: '1.00' },
    ]
    const id = await harness.connect(books)
    await harness.sync(id, { reason: 'first' })
    expect(await tablesOf(id)).toEqual(expect.arrayContaining(FILLED))
    const { instanceId, companyId } = harness
    await disconnect(harness.deps, { instanceId, companyId, serviceId: harness.serviceId(books) })
    expect(await harness.erase(id)).toEqual({ done: true })
    expect((await tablesOf(id)).filter((name) => !KEPT.includes(name))).toEqual([])
    expect((await database.query('select sum(bytes)::int as bytes from stored_bytes where connection_id = $1', [id])).rows).toEqual([
      { bytes: 0 },
    ])
  } finally {
    await harness.close()
  }
})
