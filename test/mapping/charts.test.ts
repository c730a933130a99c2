import { existsSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { connectors } from '../../src/connectors/registry.ts'
import { describeShortfalls, type Measured, measureChart, toTable } from './measure.ts'
import type { MappingSubject } from './subject.ts'

const sources = connectors.filter(({ category }) => category === 'Accounting')
const fileOf = (key: string): URL => new URL(`subjects/${key}.ts`, import.meta.url)

test('every accounting source has a subject, so that its whole mapping is measured', () => {
  expect(sources.map(({ key }) => key).filter((key) => !existsSync(fileOf(key)))).toEqual([])
})

const rows: Measured[] = []
afterAll(() => {
  process.stdout.write(`\n${toTable(rows)}\n`)
})

for (const source of sources.filter(({ key }) => existsSync(fileOf(key)))) {
  const { subject }: { subject: MappingSubject } = await import(fileOf(source.key).href)
  const { entities } = await source.load()
  describe(`the charts of ${source.name}`, () => {
    for (const chart of subject.charts) {
      const accounts = chart.read()
      const isMissed = accounts === null && chart.needs?.isFailureInCi === true && process.env.CI === 'true'
      test.skipIf(accounts === null && !isMissed)(
        `${chart.name}: no account is wrong, and as many are classified as before${accounts === null ? ` (skipped without ${chart.needs?.what})` : ''}`,
        () => {
          expect(accounts, `${chart.needs?.what} has to be there where CI is true`).not.toBeNull()
          const measured = measureChart(source.name, chart.name, entities.Accounts.wire, entities.Accounts.map, accounts ?? [])
          rows.push(measured)
          expect(measured.wrong).toEqual([])
          expect(describeShortfalls(measured, chart.floors)).toEqual([])
        },
      )
    }
  })
}
