import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { fineractConnector } from '../../../src/connectors/fineract/client.ts'
import { fineract } from '../../../src/connectors/fineract/index.ts'
import { normalize } from '../../conformance/run.ts'

const SAMPLES = new URL('../../../../shared/samples/banking/fineract/', import.meta.url)
const [pull] = fineractConnector.pulls
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

function sample(name: string): Record<string, unknown> {
  const { pageItems } = JSON.parse(readFileSync(new URL(`${name}.json`, SAMPLES), 'utf8'))
  return pageItems[0]
}

/** The account of a published answer, as an overview with its details would return it. */
function read(list: 'loanAccounts' | 'savingsAccounts', name: string) {
  const record = sample(name)
  const origId = `${list === 'loanAccounts' ? 'loan' : 'savings'}/${record.id}`
  const answers = {
    client: bytes({ id: 1, officeName: 'Head Office', legalForm: { code: 'legalFormType.entity' } }),
    accounts: bytes({ [list]: [{ id: record.id }] }),
    page: bytes([origId]),
    [origId]: bytes(record),
  }
  if (!pull) throw new Error('no pull')
  const outcome = normalize({ description: fineract, connector: fineractConnector }, [
    { pull, page: { answers, next: null, listing: 'complete' } },
  ])
  return { outcome, doc: [...outcome.delivered.values()][0]?.doc }
}

describe.skipIf(!existsSync(SAMPLES))('published answers of Fineract (skipped without ../shared/samples)', () => {
  test('a loan is read without unknown enum values', () => {
    const { outcome, doc } = read('loanAccounts', 'loans_page')
    expect([outcome.setAside, outcome.unmapped]).toEqual([[], []])
    expect(doc).toMatchObject({
      accountName: 'AgriCredit',
      accountNumber: '••••0001',
      accountStatusSystem: 'ACTIVE',
      interestRate: 24,
      originalLoanAmount: 10000,
      principalBalance: 6926.93,
      actualBalance: 7546.21,
      amountDue: 6619.2,
      maturityDate: '2013-06-01T00:00:00+00:00',
      currency: 'USD',
    })
  })

  test('a savings account awaiting approval is inactive', () => {
    const { outcome, doc } = read('savingsAccounts', 'savingsaccounts_page')
    expect([outcome.setAside, outcome.unmapped]).toEqual([[], []])
    expect(doc).toMatchObject({ accountName: 'Passbook Savings', accountStatusSystem: 'INACTIVE', interestRate: 5, actualBalance: 0 })
  })
})
