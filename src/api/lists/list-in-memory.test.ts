import { describe, expect, it } from 'vitest'
import type { Filter, Operator } from '../../store/db/list-selection.ts'
import { type ListedValue, selectInMemory } from './list-in-memory.ts'

interface Item {
  id: string
  name: string | null
  size: number | null
  isOn: boolean
  at: Date | null
}

const ITEMS: Item[] = [
  { id: 'c', name: 'Érable', size: 10, isOn: true, at: new Date('2026-11-20T12:00:00.500Z') },
  { id: 'a', name: 'maple', size: 9, isOn: false, at: new Date('2026-11-21T00:00:00Z') },
  { id: 'b', name: null, size: null, isOn: true, at: null },
  { id: 'e', name: 'maple', size: -1, isOn: false, at: new Date('2026-11-20T12:00:00.500Z') },
  { id: 'd', name: null, size: 9, isOn: true, at: null },
]
const TYPES = { name: 'string', size: 'number', isOn: 'boolean', at: 'date' } as const
const PROPERTIES: Readonly<Record<string, (item: Item) => ListedValue>> = {
  name: ({ name }) => name,
  size: ({ size }) => size,
  isOn: ({ isOn }) => isOn,
  at: ({ at }) => at,
}
const ALL = { orderBy: 'name', descending: false, limit: 10, offset: 0, filter: [] as Filter }

function select(selection: Partial<typeof ALL>): string {
  const { items, total } = selectInMemory(ITEMS, { ...ALL, ...selection }, TYPES, (item, name) => PROPERTIES[name]?.(item) ?? null)
  return `${items.map(({ id }) => id).join('')} ${total}`
}
const where = (property: string, operator: Operator, value: string | null) =>
  select({ orderBy: 'isOn', filter: [[{ property, operator, value }]] })
    .split(' ')[0]
    ?.split('')
    .toSorted()
    .join('')

describe('a list in memory', () => {
  it.each([
    ['name', false, 'aecbd'],
    ['name', true, 'ceadb'],
    ['size', false, 'eadcb'],
    ['size', true, 'cdaeb'],
    ['isOn', false, 'aebcd'],
    ['isOn', true, 'dcbea'],
    ['at', false, 'ceabd'],
    ['at', true, 'aecdb'],
  ])('by %s, turned round: %s, has absent values last and equal ones by id', (orderBy, descending, ids) => {
    expect(select({ orderBy, descending })).toBe(`${ids} 5`)
  })

  it('is cut into pages, with the total of all that fit', () => {
    expect([select({ limit: 2 }), select({ limit: 2, offset: 2 }), select({ offset: 4 }), select({ offset: 9 })]).toEqual([
      'ae 5',
      'cb 5',
      'd 5',
      ' 5',
    ])
  })

  it.each<[string, Operator, string | null, string]>([
    ['name', '=', 'maple', 'ae'],
    ['name', '!=', 'maple', 'bcd'],
    ['name', '~', 'MAP', 'ae'],
    ['name', '~', 'p', 'ae'],
    ['name', '=', null, 'bd'],
    ['name', '!=', null, 'ace'],
    ['size', '=', '9.0', 'ad'],
    ['size', '!=', '9', 'bce'],
    ['size', '>', '9', 'c'],
    ['size', '>=', '9', 'acd'],
    ['size', '<', '9', 'e'],
    ['size', '<=', '9', 'ade'],
    ['isOn', '=', 'true', 'bcd'],
    ['isOn', '!=', 'true', 'ae'],
    ['at', '=', '2026-11-20T12:00:00.500000Z', 'ce'],
    ['at', '>', '2026-11-20T12:00:00.500000Z', 'a'],
    ['at', '>=', '2026-11-20T12:00:00.500000Z', 'ace'],
    ['at', '<', '2026-11-20T12:00:00.500001Z', 'ce'],
    ['at', '=', null, 'bd'],
  ])('where %s %s %s has %s', (property, operator, value, ids) => {
    expect(where(property, operator, value)).toBe(ids)
  })

  it('needs every clause of one of the groups', () => {
    const on = { property: 'isOn', operator: '=', value: 'true' } as const
    const large = { property: 'size', operator: '>', value: '9' } as const
    const named = { property: 'name', operator: '=', value: 'maple' } as const
    expect([select({ filter: [[on, large]] }), select({ filter: [[on, large], [named]] }), select({ filter: [[on, named]] })]).toEqual([
      'c 1',
      'aec 3',
      ' 0',
    ])
  })
})
