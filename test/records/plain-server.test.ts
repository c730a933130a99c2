import { expect, it } from 'vitest'
import { toAccount } from '../../bench/servers/express-rows.ts'
import { BANK_ACCOUNT } from '../../src/model/records/bank-account.ts'

it('the plain server that reads are measured against answers with the fields of the first shape, no fewer and no others', () => {
  const fields = BANK_ACCOUNT.properties.filter(({ since }) => since === 1).map(({ name }) => name)
  expect(Object.keys(toAccount({}))).toEqual(['lastUpdatedOn', ...fields])
})
