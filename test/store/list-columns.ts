import { expect } from 'vitest'
import type { Operator, Selection } from '../../src/store/db/list-selection.ts'

type Value = string | number | boolean | Date | null

interface CheckedList<Row> {
  list(selection: Selection): Promise<readonly Row[]>
  /** Value of each property of the list in a row; not the same in all rows. */
  values: Record<string, (row: Row) => Value>
}

/** Compares each filter and order of a list with the values that its rows have. */
export async function checkColumns<Row>({ list, values }: CheckedList<Row>): Promise<void> {
  const selection = { filter: [], orderBy: Object.keys(values)[0] ?? '', descending: false, limit: 100, offset: 0 }
  const all = await list(selection)
  for (const [property, read] of Object.entries(values)) {
    const present = all.map(read).filter((value) => value !== null)
    expect(new Set(all.map((row) => textOf(read(row)))).size, `different values of ${property}`).toBeGreaterThan(1)
    const absent = all.map(read).filter((value) => value === null)
    const ascending = present.toSorted(compare)
    const valuesBy = async (descending: boolean) => (await list({ ...selection, orderBy: property, descending })).map(read)
    expect(await valuesBy(false), `by ${property}`).toEqual([...ascending, ...absent])
    expect(await valuesBy(true), `by ${property}, descending`).toEqual([...ascending.toReversed(), ...absent])
    const found = async (operator: Operator, value: Value) =>
      idsOf(await list({ ...selection, filter: [[{ property, operator, value: textOf(value) }]] }))
    for (const value of all.map(read)) {
      const isEqual = (row: Row) => textOf(read(row)) === textOf(value)
      expect(await found('=', value), `${property} = ${value}`).toEqual(idsOf(all.filter(isEqual)))
      expect(await found('!=', value), `${property} != ${value}`).toEqual(idsOf(all.filter((row) => !isEqual(row))))
    }
    const [middle = null] = present.toSorted(compare).slice(present.length / 2)
    if (typeof middle !== 'number' && !(middle instanceof Date)) continue
    const isGreater = (row: Row) => {
      const value = read(row)
      return value !== null && compare(value, middle) > 0
    }
    expect(await found('>', middle), `${property} > ${middle}`).toEqual(idsOf(all.filter(isGreater)))
  }
}

/** As the API gives it to the store: an instant with microseconds. */
function textOf(value: Value): string | null {
  return value instanceof Date ? value.toISOString().replace('Z', '000Z') : value === null ? null : String(value)
}

function compare(a: Exclude<Value, null>, b: Exclude<Value, null>): number {
  return a < b ? -1 : Number(a > b)
}

function idsOf(rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(row)).toSorted()
}
