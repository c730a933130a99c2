import { describe, expect, it } from 'vitest'
import { type Connector, SourceError, type SourceItem } from '../../src/connectors/contract/contract.ts'
import { toRecordId } from '../../src/model/catalogue.ts'
import type { Explanation } from '../../src/sync/explain/explain.ts'
import { explainRecord } from '../../src/sync/explain/explain.ts'
import { findService } from '../../src/sync/sources/catalogue.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

/** Its connector can be changed, as by a later release. */
class ChangingSource extends ScriptedSource {
  change: (connector: Connector) => Connector = (connector) => connector

  override get connector(): Connector {
    return this.change(super.connector)
  }
}
const books = new ChangingSource('books')
const harness = openForTests(async () => {
  const opened = await openSyncHarness([books])
  books.accounts = [
    { id: '1', name: 'odd cash' },
    { id: '2', name: 'Savings 12345678' },
    { id: '3', name: 'Loan' },
  ]
  const connectionId = await opened.connect(books)
  await opened.sync(connectionId, { reason: 'first' })
  return { ...opened, connectionId }
})

async function explain(recordId: string, change: typeof books.change = (connector) => connector): Promise<Explanation | null> {
  const { deps, instanceId } = harness
  const scope = harness.scopeOf(books)
  books.change = change
  try {
    const service = await findService(deps.database, deps.sources, instanceId, scope.serviceId)
    if (!service) throw new Error('no service')
    return await explainRecord(deps.database, deps, scope, service, { entity: 'Accounts', recordId, asOf: null })
  } finally {
    books.change = (connector) => connector
  }
}

type Fields = NonNullable<Connector['entities']['Accounts']>['map']['fields']
/** The mapping with other functions for some fields. */
const withFields =
  (fields: Fields, version = 2): typeof books.change =>
  (connector) => {
    const { Accounts } = connector.entities
    if (!Accounts) throw new Error('no mapping')
    return { ...connector, entities: { Accounts: { ...Accounts, map: { version, fields: { ...Accounts.map.fields, ...fields } } } } }
  }
/** The pull with another reader. */
const withRead =
  (read: (items: SourceItem[]) => Iterable<SourceItem>): typeof books.change =>
  (connector) => ({
    ...connector,
    pulls: connector.pulls.map((pull) => ({ ...pull, read: (answers) => read([...(pull.read(answers) as Iterable<SourceItem>)]) })),
  })
const fieldOf = (explained: Explanation | null, name: string) => explained?.fields.find(({ field }) => field === name)
const idOf = (origId: string) => toRecordId(harness.companyId, harness.serviceId(books), 'Accounts', origId)

describe('a record of today’s connector', () => {
  it('is found by its id in any case and by that of its source, and by no other', async () => {
    const found = await explain('1')
    expect(await explain(idOf('1'))).toEqual(found)
    expect(await explain(idOf('1').toUpperCase())).toEqual(found)
    expect([await explain('9'), await explain(idOf('9'))]).toEqual([null, null])
    expect(found).toMatchObject({
      ...{ connector: 'books', current: { version: 1, gives: 'same', reason: null } },
      rawPage: { index: 0, pull: 'accounts', receivedAt: expect.any(Date) },
    })
  })

  it('has rules of the engine, of the mapping, and for a word that is not known', async () => {
    const found = await explain('1')
    const rules = Object.fromEntries((found?.fields ?? []).map(({ field, rule }) => [field, [rule?.kind, rule?.text]]))
    expect(rules).toMatchObject({
      id: ['engine', 'worked out from company, service, entity and origId: the same for ever'],
      serviceId: ['engine', 'the service that was asked for'],
      serviceName: ['engine', 'the name of the service'],
      lastUpdatedOn: ['engine', 'when the raw page was received, or when the source no longer had the record'],
      origId: ['copied', '/id as it is'],
      currency: ['constant', 'Scripted Books records always have CAD here'],
      typeSystem: ['unknownWord', 'Scripted Books does not know "odd cash", so the least certain value BANK stands'],
    })
    expect(found?.fields.filter(({ isSameNow, result, resultNow }) => !isSameNow || result !== resultNow)).toEqual([])
  })
})

describe('a record whose connector has changed', () => {
  it('says what the new mapping gives, field by field', async () => {
    const found = await explain(
      '2',
      withFields(
        {
          currency: () => 'USD',
          description: () => {
            throw new RangeError('no text')
          },
          name: (w) => (w as { name: string }).name,
        },
        7,
      ),
    )
    expect(found?.current).toEqual({ version: 7, gives: 'refused', reason: 'description: no text' })
    const other = await explain('2', withFields({ currency: () => 'USD' }, 7))
    expect(other?.current).toEqual({ version: 7, gives: 'different', reason: null })
    expect(other?.fields.filter(({ isSameNow }) => !isSameNow).map(({ field, result, resultNow }) => [field, result, resultNow])).toEqual([
      ['currency', 'CAD', 'USD'],
    ])
  })

  it('that refuses it stands as published, and an error of ours tells nothing of the record', async () => {
    const found = await explain(
      '2',
      withFields({
        currency: () => {
          throw new Error('secret words')
        },
      }),
    )
    expect(found?.current).toEqual({ version: 2, gives: 'refused', reason: 'currency: the mapping failed' })
    expect(found?.fields.filter(({ isSameNow, result, resultNow }) => !isSameNow || result !== resultNow)).toEqual([])
  })

  it('that expects another shape refuses it', async () => {
    const found = await explain('2', (connector) => {
      const { Accounts } = connector.entities
      return Accounts ? { ...connector, entities: { Accounts: { ...Accounts, wire: { type: 'string' } } } } : connector
    })
    expect(found?.current).toMatchObject({ gives: 'refused', reason: expect.stringContaining('string') })
    expect(fieldOf(found, 'name')).toMatchObject({ isSameNow: true, rule: { kind: 'copied' } })
  })

  it.each<[string, typeof books.change, string]>([
    [
      'has no such pages',
      (c) => ({ ...c, pulls: c.pulls.map((pull) => ({ ...pull, name: 'other' })) }),
      'the connector no longer reads pages of this kind',
    ],
    [
      'does not find it',
      withRead((items) => items.filter((item) => item.origId !== '2')),
      'the connector no longer finds the record in its raw page',
    ],
    [
      'finds it removed',
      withRead(() => [{ entity: 'Accounts', origId: '2', removed: true }]),
      'the connector no longer finds the record in its raw page',
    ],
    [
      'finds it as a transaction',
      withRead((items) => items.map((item) => ({ ...item, entity: 'Transactions' }) as SourceItem)),
      'the connector no longer finds the record in its raw page',
    ],
    [
      'cannot read the page',
      withRead(() => {
        throw new SourceError('badData', 'secret words')
      }),
      'the connector can no longer read the raw page',
    ],
  ])('that %s explains nothing', async (_what, change, reason) => {
    const found = await explain('2', change)
    expect(found?.current).toEqual({ version: 1, gives: 'unknown', reason })
    expect(fieldOf(found, 'name')).toEqual({ ...fieldOf(found, 'name'), rule: null, raw: [], isSameNow: true, result: 'Savings 12345678' })
    expect(fieldOf(found, 'id')?.rule?.kind).toBe('engine')
  })

  it('whose reader fails otherwise is an error', async () => {
    const change = withRead(() => {
      throw new Error('a fault of ours')
    })
    await expect(explain('2', change)).rejects.toThrow('a fault of ours')
  })

  it('that finds it at another place explains it from there, and from its own place where it is there too', async () => {
    const named = (item: SourceItem | undefined, name: string) => ({ ...item, wire: { id: '2', name } }) as SourceItem
    const moved = await explain(
      '2',
      withRead(([first, second, third]) => [named(second, 'Moved'), ...[first, third].flatMap((one) => one ?? [])]),
    )
    expect([moved?.current.gives, fieldOf(moved, 'name')?.resultNow]).toEqual(['different', 'Moved'])
    const twice = await explain(
      '2',
      withRead(([, second]) => [named(second, 'First'), named(second, 'Own'), named(second, 'Last')]),
    )
    expect(fieldOf(twice, 'name')?.resultNow).toBe('Own')
    const elsewhere = await explain(
      '3',
      withRead((items) => items.slice(2).flatMap((item) => [item, item])),
    )
    expect(elsewhere?.current.gives).toBe('same')
  })

  it('has the rules of a file where its mapping has no code', async () => {
    const found = await explain('2', (connector) => {
      const { Accounts } = connector.entities
      const described = Accounts && { ...Accounts, map: { ...Accounts.map, describe: (field: string) => `rule of ${field}` } }
      return described ? { ...connector, entities: { Accounts: described } } : connector
    })
    expect(fieldOf(found, 'name')?.rule?.code).toBe('rule of name')
  })
})
