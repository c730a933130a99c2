import { expect, it } from 'vitest'
import { toAccount } from '../../bench/servers/express-rows.ts'
import { BANK_ACCOUNT } from '../../src/model/records/bank-account.ts'

it('the Express server of the benchmark answers with exactly the fields of the first shape', () => {
  const fields = BANK_ACCOUNT.properties.filter(({ since }) => since === 1).map(({ name }) => name)
  expect(Object.keys(toAccount({}))).toEqual(['lastUpdatedOn', ...fields])
})
