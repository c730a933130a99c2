import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import type { Connector, SourceItem } from '../../src/connectors/contract/contract.ts'
import type { MapContext } from '../../src/connectors/contract/mapping.ts'
import { toRecordId } from '../../src/model/catalogue.ts'
import {
  type Aliases,
  findShapeFault,
  isOlder,
  keepNames,
  type NormalizedItem,
  type NormalizeScope,
  normalizeItems,
  toRefusal,
} from '../../src/sync/runs/normalize.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

const { connector } = new ScriptedSource('books')
const [COMPANY, SERVICE] = ['0d6e8f6b-6a5e-4b53-9d0a-3f6f6a0f5a01', '0d6e8f6b-6a5e-4b53-9d0a-3f6f6a0f5a02']
const SCOPE: NormalizeScope = {
  ...{ companyId: COMPANY, serviceId: SERVICE, serviceName: 'Books', category: 'Accounting' },
  fetchedAt: new Date('2026-11-02T10:00:00Z'),
}
const idOf = (origId: string) => toRecordId(COMPANY, SERVICE, 'Accounts', origId)

/** The connector with other functions for some fields. */
function withFields(fields: Record<string, unknown>, observed: string[] = []): Connector {
  const { Accounts } = connector.entities
  if (!Accounts) throw new Error('no mapping')
  return {
    ...connector,
    entities: { Accounts: { ...Accounts, map: { ...Accounts.map, observed, fields: { ...Accounts.map.fields, ...fields } as never } } },
  }
}

function normalize(
  items: SourceItem[],
  { from = connector, scope = SCOPE, before = 0 } = {},
): { items: NormalizedItem[]; unmapped: string[][] } {
  const unmapped: string[][] = []
  const normalized = [...normalizeItems(from, items, scope, (...told) => void unmapped.push(told), before)]
  return { items: normalized, unmapped }
}
const account = (id: string, more: object = {}): SourceItem => ({
  entity: 'Accounts',
  origId: id,
  wire: { id, name: `Account ${id}`, ...more },
})

describe('a record of a page', () => {
  it('has its id, its place on the page, the version of its mapping and no version of its own', () => {
    const [first, second] = normalize([account('1'), { ...account('2'), version: 'v7' }], { before: 40 }).items
    expect(first).toMatchObject({ origId: '1', id: idOf('1'), rawIndex: 40, mappingVersion: 1, sourceVersion: null })
    expect(second).toMatchObject({ origId: '2', id: idOf('2'), rawIndex: 41, mappingVersion: 1, sourceVersion: 'v7' })
    expect(first && 'doc' in first && first.contentHash.length).toBe(16)
    const document = first && 'doc' in first ? JSON.parse(first.doc) : {}
    expect(document).toMatchObject({ serviceId: SERVICE, serviceName: 'Books', id: idOf('1'), origId: '1', name: 'Account 1' })
    expect(document.lastUpdatedOn).toMatch(/^2026-11-02T10:00:00/)
  })

  it('that is unreadable or removed keeps its place, and its id where one is known', () => {
    const { items } = normalize([
      { entity: 'Accounts', origId: null, unreadable: 'no id' },
      { entity: 'Accounts', origId: '2', unreadable: 'cut' },
      { entity: 'Accounts', origId: '3', removed: true },
    ])
    expect(items).toEqual([
      { entity: 'Accounts', origId: null, id: null, reason: 'no id', rawIndex: 0 },
      { entity: 'Accounts', origId: '2', id: idOf('2'), reason: 'cut', rawIndex: 1 },
      { entity: 'Accounts', origId: '3', id: idOf('3'), removed: true, rawIndex: 2 },
    ])
  })

  it.each([
    ['a field of another type', connector, { name: 7 }, /^\/name: /],
    ['a value that its mapping names', withFields({ name: () => fail(new RangeError('is no name')) }), {}, /^name: is no name$/],
    [
      'another error, whose words may quote the record',
      withFields({ name: () => fail(new Error('secret')) }),
      {},
      /^name: the mapping failed$/,
    ],
  ])('with %s is set aside with the reason', (_what, from, more, reason) => {
    const { items } = normalize([account('1', more), account('2')], { from })
    expect(items[0]).toEqual({ entity: 'Accounts', origId: '1', id: idOf('1'), reason: expect.stringMatching(reason), rawIndex: 0 })
  })

  it('that is no object is set aside', () => {
    const { items } = normalize([{ entity: 'Accounts', origId: '1', wire: 'text' }])
    expect(items).toMatchObject([{ reason: expect.stringMatching(/^record: /) }])
  })

  it('that is set aside keeps no other from being taken', () => {
    const { items } = normalize([account('1', { name: 7 }), account('2')])
    expect(items).toMatchObject([{ reason: expect.any(String) }, { origId: '2', rawIndex: 1 }])
  })

  it('has words that are not known, each told with its field', () => {
    expect(normalize([account('1', { name: 'odd one' }), account('2', { name: 'Cash' })]).unmapped).toEqual([
      ['Accounts', 'typeSystem', 'odd one'],
    ])
  })

  it('without a currency is counted once, by its own word or as none told', () => {
    const own = {
      currency: (_: unknown, { unmapped }: MapContext) => {
        unmapped('currency', 'PIRATE')
        return ''
      },
    }
    expect(normalize([account('1')], { from: withFields({ currency: () => '' }) }).unmapped).toEqual([
      ['Accounts', 'currency', 'none told'],
    ])
    expect(normalize([account('1')], { from: withFields(own) }).unmapped).toEqual([['Accounts', 'currency', 'PIRATE']])
    expect(normalize([account('1')]).unmapped).toEqual([])
  })

  it('has the same hash while its content is the same, whenever it was fetched', () => {
    const hashes = [SCOPE, { ...SCOPE, fetchedAt: new Date('2026-12-01T00:00:00Z') }].map((scope) => {
      const [item] = normalize([account('1')], { scope }).items
      return item && 'doc' in item ? Buffer.from(item.contentHash).toString('hex') : ''
    })
    const [changed] = normalize([account('1', { name: 'Other' })]).items
    expect(hashes[0]).toBe(hashes[1])
    expect(changed && 'doc' in changed && Buffer.from(changed.contentHash).toString('hex')).not.toBe(hashes[0])
  })

  it('has a hash without what is only observed', () => {
    const hash = (description: string, observed: string[]) => {
      const [item] = normalize([account('1')], { from: withFields({ description: () => description }, observed) }).items
      return item && 'doc' in item ? Buffer.from(item.contentHash).toString('hex') : ''
    }
    expect(hash('a', ['description'])).toBe(hash('b', ['description']))
    expect(hash('a', [])).not.toBe(hash('b', []))
  })

  it('is sorted by 300 characters at most', () => {
    const [item] = normalize([account('1', { name: 'n'.repeat(1_000) })], { from: withFields({ number: () => 'x'.repeat(1_000) }) }).items
    expect(item && 'doc' in item && item.sortKey.length).toBe(300)
  })

  it('of an entity without a mapping is a fault of the connector', () => {
    expect(() => normalize([{ ...account('1'), entity: 'Transactions' }])).toThrow('the connector delivers Transactions')
  })
})

describe('a record that its source has renamed', () => {
  const aliases: Aliases = (entity, origId) =>
    entity === 'Accounts' && origId === 'new' ? { id: 'kept-id', keptOrigId: 'old' } : undefined

  it('keeps its id and its name, also when it is removed', () => {
    const { items } = normalize([account('new'), { entity: 'Accounts', origId: 'new', removed: true }], { scope: { ...SCOPE, aliases } })
    expect(items).toMatchObject([{ id: 'kept-id', origId: 'new' }, { id: 'kept-id' }])
    const [item] = items
    expect(item && 'doc' in item && JSON.parse(item.doc)).toMatchObject({ id: 'kept-id', origId: 'old' })
  })

  it('is named as before in its transactions, which keep their own names', () => {
    const transaction = { origId: 't-1', accountOrigId: 'new' } as never
    expect(keepNames(transaction, 'Transactions', 't-1', aliases)).toEqual({ origId: 't-1', accountOrigId: 'old' })
    expect(keepNames({ origId: 't-1', accountOrigId: 'other' } as never, 'Transactions', 't-1', aliases)).toEqual({
      ...{ origId: 't-1', accountOrigId: 'other' },
    })
    expect(keepNames(transaction, 'Transactions', 't-1', undefined)).toBe(transaction)
  })
})

it('a refusal is told in the mapping’s own words, and other errors are not', () => {
  expect([toRefusal(new RangeError('own words')), toRefusal(new Error('secret')), toRefusal('text')]).toEqual([
    ...['own words', 'the mapping failed', 'the mapping failed'],
  ])
})

it('a record of the wanted shape has no fault, of whatever kind the shape is', () => {
  expect(findShapeFault({ ...connector.entities.Accounts, wire: Type.String() } as never, 'text')).toBeNull()
})

it.each([
  ['a', 'b', true],
  ['b', 'a', false],
  ['a', 'a', false],
  [null, 'a', false],
  ['a', null, false],
])('version %s is older than %s: %s', (version, than, expected) => {
  expect(isOlder(version, than)).toBe(expected)
})

function fail(error: Error): never {
  throw error
}
