import { expect, it } from 'vitest'
import { table } from '../../src/cli/client/table.ts'

/** More rows than a call can have arguments. */
const ROWS = 200_000

it('prints a table of 200,000 rows, each column as wide as its longest cell', () => {
  const rows = Array.from({ length: ROWS }, (_, index) => [`${index}`, 'name'])
  const lines = table(rows).split('\n')
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([ROWS, '0       name', '199999  name'])
})
