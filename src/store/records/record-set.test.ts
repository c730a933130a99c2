import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const store = resolve(import.meta.dirname, '..')

/** Names of constants that contain the condition of a record set. */
const CONDITIONS =
  /IN_RECORD_SETS?\}|THROUGH_CONNECTION\}|inRecordSet\(|record_set_keys?\(|[ov]\.record_set = |record_set = any |\$\{SCOPE\}|\$\{current\}/

/** Template literals of the source, including those nested in their placeholders. */
function statementsOf(text: string): string[] {
  return [...text.matchAll(/`(?:[^`\\]|\\.)*`/g)].map(([statement]) => statement)
}

it('every statement that reads or changes records says their record set', () => {
  const files = readdirSync(store, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  )
  const statements = files.flatMap((name) =>
    statementsOf(readFileSync(join(store, name), 'utf8')).map((statement) => ({ name, statement })),
  )
  const ofRecords = statements.filter(({ statement }) => /\b(from|join|update) record_versions\b/.test(statement))
  expect(ofRecords.length).toBeGreaterThan(25)
  expect(ofRecords.filter(({ statement }) => !CONDITIONS.test(statement))).toEqual([])
})
