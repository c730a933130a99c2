import { describe, expect, it } from 'vitest'
import { type CompanyAccountView, totalsOf } from './company-accounts.ts'

let count = 0
function account(fields: Readonly<Record<string, string>>, isCounted = true): CompanyAccountView {
  count += 1
  const of = { id: `${count}`, serviceId: 's', connectionId: 'c', doc: '', rawPageId: null, rawIndex: 0, sameAs: [] }
  return { ...of, isCounted, fields: new Map(Object.entries({ currency: 'CAD', typeSystem: 'Cash', ...fields })) }
}

describe('the totals of a company', () => {
  it.each<[string, Record<string, string>, string, string]>([
    ['cash is an asset', { actualBalance: '10.25' }, '10.25', '0'],
    ['an overdrawn account lowers what is owned', { actualBalance: '-10.25' }, '-10.25', '0'],
    ['a credit card is owed', { typeSystem: 'CreditCards', actualBalance: '3.5' }, '0', '3.5'],
    ['a loan is owed', { typeSystem: 'Loans', actualBalance: '3.5' }, '0', '3.5'],
    ['a card with a credit lowers what is owed', { typeSystem: 'CreditCards', actualBalance: '-3.5' }, '0', '-3.5'],
    ['a bill is owed', { typeSystem: 'Other', subTypeSystem: 'Bill', actualBalance: '3.5' }, '0', '3.5'],
    ['another liability is owed', { typeSystem: 'Other', subTypeSystem: 'OtherLiability', actualBalance: '3.5' }, '0', '3.5'],
    ['another account is an asset', { typeSystem: 'Other', subTypeSystem: 'Unknown', actualBalance: '3.5' }, '3.5', '0'],
  ])('%s', (_what, fields, assets, debts) => {
    expect(totalsOf([account(fields)])).toEqual([{ currency: 'CAD', accounts: 1, withoutBalance: 0, assets, debts }])
  })

  it('are exact, one for each currency, in the order of their codes, of the accounts that count', () => {
    const accounts = [
      account({ currency: 'USD', actualBalance: '0.1' }),
      account({ currency: 'CAD', actualBalance: '90071992547409930.01' }),
      account({ currency: 'USD', actualBalance: '0.2' }),
      account({ currency: 'USD' }),
      account({ currency: 'USD', typeSystem: 'Loans', actualBalance: '7' }),
      account({ currency: 'USD', actualBalance: '1000' }, false),
      account({ currency: 'EUR', actualBalance: '1' }, false),
      account({ currency: 'CAD', actualBalance: '0.01' }),
      account({ currency: '', actualBalance: '5' }),
    ]
    expect(totalsOf(accounts)).toEqual([
      { currency: '', accounts: 1, withoutBalance: 0, assets: '5', debts: '0' },
      { currency: 'CAD', accounts: 2, withoutBalance: 0, assets: '90071992547409930.02', debts: '0' },
      { currency: 'USD', accounts: 4, withoutBalance: 1, assets: '0.3', debts: '7' },
    ])
  })

  it('are in that order, whichever account comes first', () => {
    const currencies = (...codes: string[]) => totalsOf(codes.map((currency) => account({ currency }))).map(({ currency }) => currency)
    expect([currencies('CAD', 'EUR', 'USD'), currencies('EUR', 'USD', 'CAD'), currencies('USD', 'EUR', 'CAD')]).toEqual([
      ...[
        ['CAD', 'EUR', 'USD'],
        ['CAD', 'EUR', 'USD'],
        ['CAD', 'EUR', 'USD'],
      ],
    ])
  })

  it('of an account without a currency are named by none', () => {
    const { fields, ...rest } = account({ actualBalance: '5' })
    expect(totalsOf([{ ...rest, fields: new Map([...fields].filter(([name]) => name !== 'currency')) }])[0]?.currency).toBe('')
  })

  it('are none without accounts', () => {
    expect(totalsOf([])).toEqual([])
  })
})
