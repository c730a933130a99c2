import { beforeAll, expect, it } from 'vitest'
import { findConnection } from '../../src/store/connections/connections.ts'
import { listPagesToReplay } from '../../src/store/records/replay-records.ts'
import { replayPage } from '../../src/sync/replay/replay-page.ts'
import { openPage } from '../../src/sync/runs/raw-page-store.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { CannedSource } from './canned-source.ts'
import { replay, written } from './replays.ts'

const KEYS = ['xero', 'quickbooks', 'tryton', 'hledger', 'plaid', 'bank-files']
const sources = await Promise.all(KEYS.map((key) => CannedSource.of(key)))
const harness = openForTests(() => openSyncHarness(sources))
const connections = new Map<CannedSource, string>()

beforeAll(async () => {
  for (const source of sources) {
    const id = await harness.connect(source)
    await harness.sync(id, { reason: 'first' })
    connections.set(source, id)
  }
})

it.each(sources.map((source) => [source.description.key, source] as const))(
  'rebuilds the exact bytes of every published record of %s',
  async (_key, source) => {
    const { database } = harness.deps
    const id = connections.get(source) ?? ''
    const connection = await findConnection(database, harness.instanceId, id)
    if (!connection) throw new Error('no connection')
    const rebuilt = new Map<string, string | null>()
    for (const ref of await listPagesToReplay(database, harness.instanceId, id)) {
      const page = await openPage(database, harness.deps, { ...harness, id: ref.id })
      const pull = source.connector.pulls.find(({ name }) => name === page?.pull)
      if (!page || !pull) throw new Error('no page')
      const listed = harness.deps.sources.get(source.description.key)
      if (!listed) throw new Error('no source')
      const work = { connection, source: listed, connector: source.connector, serviceName: source.description.name }
      for await (const { records } of replayPage(database, work, { id: ref.id, pull, answers: page.answers, fetchedAt: page.fetchedAt })) {
        for (const { record } of records) rebuilt.set(record.id, record.doc)
      }
    }
    const { rows } = await database.query<{ id: string; doc: string }>(
      'select id, doc from record_versions where connection_id = $1 and valid_to is null and not deleted',
      [id],
    )
    expect(rows.length).toBeGreaterThan(0)
    expect(new Map(rows.map((row) => [row.id, row.doc]))).toEqual(rebuilt)
  },
)

it('publishes nothing if the mapping is the same', async () => {
  const before = await written(harness)
  for (const [source, id] of connections) {
    const report = await replay(harness, id, { connectorKey: source.description.key })
    expect(report).toMatchObject({
      connections: { done: 1 },
      counts: { changed: 0, added: 0, unreadablePages: 0, withoutPage: 0 },
      changes: [],
    })
    expect(report.counts.records).toBeGreaterThan(0)
  }
  expect(await written(harness)).toEqual(before)
})
