import { expect, it } from 'vitest'
import { openApiHarness } from '../api/harness.ts'
import { openForTests } from '../harness/for-tests.ts'

const api = openForTests(openApiHarness)

it('a read as of an instant tells the time of the publication that was current then', async () => {
  const { deps, companyId } = api.syncHarness
  const path = `/normalized-data/${companyId}/banking/accounts/${api.syncHarness.serviceId(api.bank)}`
  const read = async (query = ''): Promise<string | null> => (await api.call('GET', `${path}${query}`)).json().lastUpdatedOn ?? null
  const { rows } = await deps.database.query<{ id: string }>(`select id from connections where connector_key = 'bank'`)
  const first = await read()
  api.bank.accounts = api.bank.accounts.map((account) => ({ ...account, name: 'Renamed' }))
  await api.syncHarness.sync(rows[0]?.id ?? expect.fail('there is no connection'))
  const second = await read()
  expect(second).not.toBe(first)
  const at = (lastUpdatedOn: string | null, laterMs = 0) => `?asOf=${new Date(Date.parse(`${lastUpdatedOn}Z`) + laterMs).toISOString()}`
  expect([await read(at(second, -1)), await read(at(second, 1)), await read('?asOf=2020-01-01')]).toEqual([first, second, null])
})
