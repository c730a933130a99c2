import { describe, expect, it } from 'vitest'
import { watchReads } from './explain-reads.ts'

interface Raw {
  name: string
  none: null
  count: number
  isOpen: boolean
  nested: { deep: { value: string }; other: number }
  list: { id: string }[]
  'a/b~c': string
  [name: string]: unknown
}
const raw = (): Raw => ({
  ...{ name: 'Chequing', none: null, count: 0, isOpen: false, nested: { deep: { value: 'x' }, other: 1 } },
  ...{ list: [{ id: 'first' }, { id: 'second' }], 'a/b~c': 'odd' },
})
const value = (path: string, found: unknown) => ({ path, found: 'value', value: found })
const at = (path: string, found: 'absent' | 'object' | 'list') => ({ path, found, value: null })

/** What a function reads of a record, which it sees as it is. */
function readsOf(read: (record: Raw) => unknown, wire: object = raw()) {
  const { view, listReads } = watchReads(wire)
  const result = read(view as Raw)
  expect(JSON.stringify(result) ?? 'nothing').toBe(JSON.stringify(read(wire as Raw)) ?? 'nothing')
  return listReads()
}

describe('what a mapping reads of a record', () => {
  it.each<[string, (record: Raw) => unknown, object[]]>([
    ['nothing', () => 'CAD', []],
    ['a text', (r) => r.name, [value('/name', 'Chequing')]],
    ['values that are empty', (r) => [r.none, r.count, r.isOpen], [value('/none', null), value('/count', 0), value('/isOpen', false)]],
    ['a value twice', (r) => r.name + r.name, [value('/name', 'Chequing')]],
    ['a value that is not there', (r) => r.missing, [at('/missing', 'absent')]],
    ['a value inside others', (r) => r.nested.deep.value, [value('/nested/deep/value', 'x')]],
    ['an object only', (r) => r.nested.deep !== null, [at('/nested/deep', 'object')]],
    ['the length of a list', (r) => r.list.length, [at('/list', 'list')]],
    ['one of a list', (r) => r.list[1]?.id, [value('/list/1/id', 'second')]],
    ['one that a list does not have', (r) => r.list[7]?.id, [at('/list/7', 'absent')]],
    ['each of a list', (r) => r.list.map(({ id }) => id), [value('/list/0/id', 'first'), value('/list/1/id', 'second')]],
    ['a name with marks of paths', (r) => r['a/b~c'], [value('/a~1b~0c', 'odd')]],
    ['whether a value is there', (r) => ['name' in r, 'missing' in r], [value('/name', 'Chequing'), at('/missing', 'absent')]],
    ['names only', (r) => Object.keys(r.nested), [at('/nested', 'object')]],
    ['all values of an object', (r) => Object.values(r.nested.deep), [value('/nested/deep/value', 'x')]],
    ['whether it is its own', (r) => Object.hasOwn(r.nested, 'other'), [at('/nested', 'object')]],
    ['names of the whole record', (r) => Object.keys(r).length, [at('', 'object')]],
    ['the record as text', (r) => JSON.stringify(r.nested), [value('/nested/deep/value', 'x'), value('/nested/other', 1)]],
    ['methods of a record', (r) => [String(r.list.at(0)?.id), r.hasOwnProperty === undefined], [value('/list/0/id', 'first')]],
  ])('%s', (_what, read, expected) => {
    expect(readsOf(read)).toEqual(expected)
  })

  it('does not hide the length of an object that has one', () => {
    expect(readsOf((r) => r.length, { length: 3 })).toEqual([value('/length', 3)])
  })

  it('an object that occurs twice is the same, at the place where it was read first', () => {
    const shared = { id: 'x' }
    expect(readsOf((r) => [r.first === r.second, (r.second as typeof shared).id], { first: shared, second: shared })).toEqual([
      at('/second', 'object'),
      value('/first/id', 'x'),
    ])
  })

  it('values that JSON does not have are shown as texts, and are not looked into', () => {
    const read = (r: Raw) => [String(r.big), String(r.undefined), r.day instanceof Date]
    expect(readsOf(read, { big: 7n, undefined: undefined, day: new Date(0) })).toEqual([
      value('/big', '7'),
      at('/undefined', 'absent'),
      at('/day', 'object'),
    ])
  })

  it('a frozen record is read like any other', () => {
    const inner = Object.freeze({ id: 'x' })
    expect(readsOf((r) => (r.inner as typeof inner).id, Object.freeze({ inner, name: 'y' }))).toEqual([at('/inner', 'object')])
    expect(readsOf((r) => r.name, Object.freeze({ name: 'y' }))).toEqual([value('/name', 'y')])
  })

  it('the property that is not to be shown is read, and not recorded', () => {
    const { view, listReads } = watchReads(raw(), 'a/b~c')
    expect([(view as Raw)['a/b~c'], (view as Raw).name]).toEqual(['odd', 'Chequing'])
    expect(listReads()).toEqual([value('/name', 'Chequing')])
  })

  it('a record without a prototype is read like any other, and a value that is no record is itself', () => {
    expect(readsOf((r) => r.name, Object.assign(Object.create(null), { name: 'y' }))).toEqual([value('/name', 'y')])
    for (const wire of ['text', 7, null, undefined]) expect(watchReads(wire).view).toBe(wire)
  })
})
