import { describe, expect, it } from 'vitest'
import type { FieldChange } from '../../store/records/replays.ts'
import { tallyChange } from './replay-tally.ts'

function tally(...changes: [string, object, object][]): FieldChange[] {
  const found: FieldChange[] = []
  for (const [id, before, after] of changes) tallyChange(found, { entity: 'Accounts', id }, JSON.stringify(before), JSON.stringify(after))
  return found
}
const change = (field: string, ...examples: [string, unknown, unknown][]) => ({
  ...{ entity: 'Accounts', field, count: examples.length },
  examples: examples.map(([recordId, before, after]) => ({ recordId, before, after })),
})

describe('the fields in which two documents differ', () => {
  it('are named with both values; what is equal, and the head, is not', () => {
    const before = { serviceId: 's', lastUpdatedOn: '1', serviceName: 'a', name: 'Old', same: [1, { a: null }], isOpen: true, gone: 7 }
    const after = { serviceId: 't', lastUpdatedOn: '2', serviceName: 'b', name: 'New', same: [1, { a: null }], isOpen: false, added: null }
    expect(tally(['1', before, after])).toEqual([
      change('name', ['1', 'Old', 'New']),
      change('isOpen', ['1', true, false]),
      change('gone', ['1', 7, null]),
    ])
  })

  it('are one change for each field, with five examples', () => {
    const found = tally(...Array.from({ length: 7 }, (_, n): [string, object, object] => [`${n}`, { a: n }, { a: -1 - n }]))
    expect(found).toEqual([
      { ...change('a'), count: 7, examples: Array.from({ length: 5 }, (_, n) => ({ recordId: `${n}`, before: n, after: -1 - n })) },
    ])
  })

  it('are told apart by the kind of record', () => {
    const found: FieldChange[] = []
    for (const entity of ['Accounts', 'Transactions']) tallyChange(found, { entity, id: '1' }, '{"a":1}', '{"a":2}')
    expect(found.map(({ entity, count }) => [entity, count])).toEqual([
      ['Accounts', 1],
      ['Transactions', 1],
    ])
  })

  it('are shown as text where they are objects, and no longer than 200 characters', () => {
    const [long, longer] = ['x'.repeat(200), 'y'.repeat(201)]
    expect(tally(['1', { a: { b: 1 }, c: long }, { a: [2], c: longer }])).toEqual([
      change('a', ['1', '{"b":1}', '[2]']),
      change('c', ['1', long, `${'y'.repeat(200)}…`]),
    ])
  })

  it('are none of what is no document', () => {
    const found: FieldChange[] = []
    tallyChange(found, { entity: 'Accounts', id: '1' }, 'null', '["a"]')
    expect(found).toEqual([])
  })
})
