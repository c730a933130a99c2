import { join } from 'node:path'
import { expect, it } from 'vitest'
import { START } from '../../../src/connectors/bank-api/paging.ts'
import type { AccountList } from '../../../src/connectors/bank-api/profile.ts'
import { readProfiles } from '../../../src/connectors/bank-api/profile-files.ts'
import { fetchRows, type RowPage } from '../../../src/connectors/bank-api/rows.ts'
import type { Kit } from '../../../src/connectors/contract/contract.ts'

const [example] = readProfiles(join(import.meta.dirname, '..', '..', '..', 'src', 'connectors', 'bank-api', 'examples'))
const [accounts] = example?.accounts ?? []
if (!example || !accounts) throw new Error('no example')
const profile = { ...example, authentication: { kind: 'basic' as const, user: 'u', password: 'p' }, headers: {} }
const list: AccountList = {
  ...accounts,
  path: '/accounts',
  rows: '',
  paging: { by: 'page', parameter: 'page', first: 1, size: { parameter: 'size', rows: 2_000 } },
}

function fetchPage(rows: number[], before?: RowPage): Promise<RowPage> {
  const kit: Kit = {
    app: {},
    hosts: { api: 'https://api.bank.example' },
    now: () => new Date(0),
    http: async () => ({ status: 200, headers: {}, body: new TextEncoder().encode(JSON.stringify(rows)) }),
  }
  return fetchRows({ profile, kit, secret: { fields: {} } }, list, before?.after ?? START)
}

const rowsFrom = (first: number): number[] => Array.from({ length: 2_000 }, (_, index) => first + index)

it('a page with the rows of the one before is refused: the list would have no end', async () => {
  const first = await fetchPage(rowsFrom(0))
  await expect(fetchPage(rowsFrom(0), first)).rejects.toThrow('the bank answered the same page twice')
  expect((await fetchPage(rowsFrom(1), first)).after?.page).toBe(2)
})

it('the rows of a page are compared with returns to the event loop', async () => {
  let [returns, isOver] = [0, false]
  const next = (): void => {
    returns += 1
    if (!isOver) setImmediate(next)
  }
  setImmediate(next)
  await fetchPage(rowsFrom(0))
  isOver = true
  expect(returns).toBeGreaterThanOrEqual(10)
})
