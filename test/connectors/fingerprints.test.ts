import { expect, it } from 'vitest'
import { toFingerprint as finicity } from '../../src/connectors/finicity/fingerprint.ts'
import { toFingerprint as mx } from '../../src/connectors/mx/fingerprint.ts'
import { toFingerprint as plaid } from '../../src/connectors/plaid/fingerprint.ts'
import { toFingerprint as yodlee } from '../../src/connectors/yodlee/fingerprint.ts'

const plaidAccount = {
  mask: '4321',
  type: 'depository',
  subtype: 'savings',
  balances: { iso_currency_code: 'CAD' },
  official_name: 'Gold Savings',
}
const mxAccount = { account_number: '••4321', type: 'SAVINGS', currency_code: 'CAD', nickname: 'Gold' }
const finicityAccount = { mask: '4321', type: 'savings', currency: 'CAD', accountNickname: 'Gold' }
const yodleeAccount = { accountNumber: 'xx4321', CONTAINER: 'bank', accountType: 'SAVINGS', nickname: 'Gold' }

it.each([
  ['Plaid', (name: string) => plaid({ account: { ...plaidAccount, name } } as never)],
  ['MX', (name: string) => mx({ account: { ...mxAccount, name } } as never)],
  ['Finicity', (name: string) => finicity({ account: { ...finicityAccount, name } } as never)],
  ['Yodlee', (accountName: string) => yodlee({ ...yodleeAccount, accountName } as never)],
])('an account is identified by its displayed name, not by one that may have changed unnoticed: %s', (_source, describe) => {
  const [before, now] = [describe('Savings'), describe('Savings of Ann')]
  expect(before.descriptions.length).toBe(2)
  expect(before.descriptions[0]).toContain('Gold')
  expect(now).toEqual(before)
})
