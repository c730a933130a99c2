import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import type { Connector, SourceItem } from '../../src/connectors/contract/contract.ts'
import { toRecordId } from '../../src/model/catalogue.ts'
import {
  findShapeFault,
  isOlder,
  keepNames,
  type NormalizedItem,
  type NormalizeScope,
  normalizeItems,
  toRefusal,
} from '../../src/sync/runs/normalize.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

const SCOPE: NormalizeScope = {
  ...{ companyId: '11111111-1111-4111-8111-111111111111', serviceId: '22222222-2222-4222-8222-222222222222', serviceName: 'Books' },
  ...{ category: 'Accounting', fetchedAt: new Date('2026-03-01T12:00:00Z') },
}
const idOf = (origId: string) => toRecordId(SCOPE.companyId, SCOPE.serviceId, 'Accounts', origId)
const item = (id: string, name: unknown, more: object = {}): SourceItem => ({ entity: 'Accounts', origId: id, wire: { id, name }, ...more })
const plain = new ScriptedSource().connector

function normalize(items: SourceItem[], more: { connector?: Connector; scope?: Partial<NormalizeScope>; before?: number } = {}) {
  const words: string[][] = []
  const { connector = plain, scope, before } = more
  const found: NormalizedItem[] = [
    ...normalizeItems(connector, items, { ...SCOPE, ...scope }, (...word) => words.push(word), ...(before === undefined ? [] : [before])),
  ]
  return { found, words }
}
const reasons = (items: SourceItem[], connector = plain) =>
  normalize(items, { connector }).found.map((one) => ('reason' in one ? one.reason : 'taken'))

/** The mapping of the scripted source with other functions for some fields. */
function withFields(fields: NonNullable<Connector['entities']['Accounts']>['map']['fields'], observed?: string[]): Connector {
  const { Accounts } = plain.entities
  const map = { ...Accounts.map, fields: { ...Accounts.map.fields, ...fields }, ...(observed ? { observed } : {}) }
  return { ...plain, entities: { Accounts: { ...Accounts, map } } }
}

describe('records of a page', () => {
  it('have ids, documents, versions and their places', () => {
    const { found } = normalize([
      item('1', 'Cash', { version: '7' }),
      { entity: 'Accounts', origId: '2', removed: true },
      item('3', 'Loan'),
    ])
    const [first, removed, last] = found
    expect(first).toMatchObject({ entity: 'Accounts', origId: '1', id: idOf('1'), sourceVersion: '7', rawIndex: 0, mappingVersion: 1 })
    expect(removed).toEqual({ entity: 'Accounts', origId: '2', id: idOf('2'), removed: true, rawIndex: 1 })
    expect(last).toMatchObject({ origId: '3', sourceVersion: null, rawIndex: 2 })
    const document = first && 'doc' in first ? JSON.parse(first.doc) : {}
    expect(document).toMatchObject({ serviceId: SCOPE.serviceId, serviceName: 'Books', id: idOf('1'), origId: '1', name: 'Cash' })
    expect(document.lastUpdatedOn).toMatch(/^2026-03-01T12:00:00/)
  })

  it('have places that count those before them', () => {
    expect(normalize([item('1', 'a'), item('2', 'b')], { before: 40 }).found.map(({ rawIndex }) => rawIndex)).toEqual([40, 41])
  })

  it('have a hash of what is theirs: not of when they were read, and of 16 bytes', () => {
    const hash = (connector: Connector, name: string, scope = {}) => {
      const [found] = normalize([item('1', name)], { connector, scope }).found
      return found && 'contentHash' in found ? Buffer.from(found.contentHash).toString('hex') : ''
    }
    const later = { fetchedAt: new Date('2026-04-01T12:00:00Z') }
    expect(hash(plain, 'Cash')).toHaveLength(32)
    expect([hash(plain, 'Cash', later), hash(plain, 'Other') === hash(plain, 'Cash')]).toEqual([hash(plain, 'Cash'), false])
    const moving = (description: string) => withFields({ description: () => description }, ['description'])
    expect([
      hash(moving('a'), 'x') === hash(moving('b'), 'x'),
      hash(withFields({ description: () => 'a' }), 'x') === hash(plain, 'x'),
    ]).toEqual([...[true, false]])
  })

  it('have a sort key of 300 characters at most', () => {
    const [found] = normalize([item('1', 'x'.repeat(400))]).found
    expect(found && 'sortKey' in found ? found.sortKey.length : 0).toBe(300)
  })
})

describe('records that are set aside', () => {
  it.each<[string, SourceItem, string]>([
    ['another shape', item('1', 7), '/name: must be string'],
    ['no shape', { entity: 'Accounts', origId: '1', wire: null }, 'record: must be object'],
    ['an unreadable one', { entity: 'Accounts', origId: '1', unreadable: 'no date' }, 'no date'],
  ])('with %s say why', (_what, given, reason) => {
    expect(normalize([given]).found).toEqual([{ entity: 'Accounts', origId: '1', id: idOf('1'), reason, rawIndex: 0 }])
  })

  it('without an id have none', () => {
    expect(normalize([{ entity: 'Accounts', origId: null, unreadable: 'no id' }]).found).toEqual([
      { entity: 'Accounts', origId: null, id: null, reason: 'no id', rawIndex: 0 },
    ])
  })

  it('by the mapping name the field, and tell nothing of an error of ours', () => {
    const throwing = (error: unknown) =>
      withFields({
        currency: () => {
          throw error
        },
      })
    expect(reasons([item('1', 'a')], throwing(new RangeError('no currency')))).toEqual(['currency: no currency'])
    expect(reasons([item('1', 'a')], throwing(new Error('secret')))).toEqual(['currency: the mapping failed'])
    expect([toRefusal(new RangeError('own words')), toRefusal('text')]).toEqual(['own words', 'the mapping failed'])
  })

  it('do not keep the others from being taken, and are no fault of the connector', () => {
    expect(reasons([item('1', 7), item('2', 'b'), item('3', null)])).toEqual(['/name: must be string', 'taken', '/name: must be string'])
    expect(() => normalize([{ entity: 'Transactions', origId: '1', wire: {} }])).toThrow('delivers Transactions but has no mapping')
    expect(findShapeFault({ ...plain.entities.Accounts, wire: Type.String() }, 'text')).toBeNull()
  })
})

describe('words that are not known', () => {
  it('are told with their field', () => {
    expect(normalize([item('1', 'odd one'), item('2', 'Cash')]).words).toEqual([['Accounts', 'typeSystem', 'odd one']])
  })

  it('include a missing currency, once', () => {
    expect(normalize([item('1', 'a')], { connector: withFields({ currency: () => '' }) }).words).toEqual([
      ['Accounts', 'currency', 'none told'],
    ])
    const telling = withFields({
      currency: (_wire, context) => {
        context.unmapped('currency', 'XYZ')
        return ''
      },
    })
    expect(normalize([item('1', 'a')], { connector: telling }).words).toEqual([['Accounts', 'currency', 'XYZ']])
  })
})

describe('a record that the source has renamed', () => {
  const aliases: NormalizeScope['aliases'] = (entity, origId) =>
    entity === 'Accounts' && origId === 'new' ? { id: 'kept-id', keptOrigId: 'old' } : undefined

  it('keeps its id and the name that readers know', () => {
    const [found, other] = normalize([item('new', 'Cash'), item('other', 'Loan')], { scope: { aliases } }).found
    expect(found).toMatchObject({ id: 'kept-id', origId: 'new' })
    expect(found && 'doc' in found ? JSON.parse(found.doc) : {}).toMatchObject({ id: 'kept-id', origId: 'old' })
    expect(other).toMatchObject({ id: idOf('other') })
  })

  it('keeps it where it is the account of a transaction', () => {
    const record = (of: object) => of as unknown as Parameters<typeof keepNames>[0]
    const renamed = keepNames(record({ origId: 't', accountOrigId: 'new', amount: '1' }), 'Transactions', 't', aliases)
    expect(renamed).toEqual({ origId: 't', accountOrigId: 'old', amount: '1' })
    const both = record({ origId: 't', accountOrigId: 'x' })
    expect(keepNames(both, 'Transactions', 't', aliases)).toBe(both)
    expect(keepNames(both, 'Transactions', 't', undefined)).toBe(both)
  })
})

it.each([
  ['1', '2', true],
  ['2', '2', false],
  ['3', '2', false],
  [null, '2', false],
  ['1', null, false],
])('version %s is older than %s: %s', (version, than, expected) => {
  expect(isOlder(version, than)).toBe(expected)
})
