import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { AnyMapping } from '../../src/connectors/contract/mapping.ts'
import { mapRecord } from '../../src/connectors/toolkit/test-mapping.ts'
import type { Chart, ChartAccount } from './subject.ts'

export interface Measured {
  source: string
  chart: string
  accounts: number
  /** Number of accounts with a class, a type, a sub type. An account that takes no postings needs no type. */
  class: number
  type: number
  subType: number
  /** Every unknown enum value, as `field: value`. */
  unknownWords: string[]
  /** Accounts that differ from the expectation of their chart, and those that yield no record. */
  wrong: string[]
}

export function measureChart(source: string, chart: string, wire: TSchema, map: AnyMapping, accounts: readonly ChartAccount[]): Measured {
  const unknownWords: string[] = []
  const judged = accounts.map((account) => {
    if (!Value.Check(wire, account.wire)) return { account, record: null }
    return { account, record: mapRecord(map, account.wire, new Date(0), unknownWords) }
  })
  const records = judged.flatMap(({ record }) => (record === null ? [] : [record]))
  return {
    ...{ source, chart, accounts: accounts.length, unknownWords },
    class: records.filter(({ classSystem }) => classSystem !== 'UNKNOWN').length,
    type: records.filter(({ classSystem, typeSystem }) => typeSystem !== 'OTHER' || classSystem === 'NON_POSTING').length,
    subType: records.filter(({ subTypeSystem }) => subTypeSystem !== '').length,
    wrong: judged.flatMap(({ account, record }) => findFault(account, record)),
  }
}

export function describeShortfalls(measured: Measured, floors: Chart['floors']): string[] {
  const told = (['accounts', 'class', 'type', 'subType'] as const)
    .filter((name) => measured[name] < floors[name])
    .map((name) => `${name}: ${measured[name]}, was ${floors[name]}`)
  const { length } = measured.unknownWords
  const words = [...new Set(measured.unknownWords)].join('; ')
  return length > floors.unknownWords ? [...told, `unknown words: ${length}, was ${floors.unknownWords}: ${words}`] : told
}

export function toTable(rows: readonly Measured[]): string {
  const cells = rows.map((row) => {
    const share = (count: number) => `${count} (${Math.floor((100 * count) / Math.max(1, row.accounts))} %)`
    const told = [share(row.class), share(row.type), share(row.subType)]
    return [row.source, row.chart, String(row.accounts), ...told, String(row.unknownWords.length)]
  })
  const lines = [['source', 'chart', 'accounts', 'class', 'type', 'sub type', 'unknown words'], ...cells]
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? []
  return lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n')
}

function findFault({ label, expected = {} }: ChartAccount, record: Record<string, unknown> | null): string[] {
  if (record === null) return [`${label}: the record does not fit the shape of the source`]
  const classes = expected.class === undefined ? [] : [expected.class].flat()
  const isRight =
    (classes.length === 0 || classes.some((each) => each === record.classSystem)) &&
    (expected.type === undefined || expected.type === record.typeSystem) &&
    (expected.subType === undefined || expected.subType === record.subTypeSystem)
  const became = [record.classSystem, record.typeSystem, record.subTypeSystem].join(' ')
  return isRight ? [] : [`${label} became ${became}, expected ${JSON.stringify(expected)}`]
}
