import { expect, it } from 'vitest'
import { toReadable } from './account-faults.ts'
import { blankAccount } from './parts.ts'
import type { StatementAccount } from './wire.ts'

const AMOUNT = { text: '12.50', mark: null, unit: 'major', currency: null, date: '20260228' } as const
const account = (known: Partial<StatementAccount>): StatementAccount => ({ ...blankAccount('ofx', 'a-1', '••••4410'), ...known })
const faultsOf = (known: Partial<StatementAccount>): string[] => toReadable(account(known), 7).faults.map(({ en }) => en)

it('an account that can be read is left as it is', () => {
  const record = account({ amounts: { LEDGERBAL: AMOUNT }, dates: { DTPMTDUE: '20260228' }, rate: '6.45%' })
  expect(toReadable(record, 7).record).toBe(record)
  for (const rate of [null, '6.45', '6.45%', '6,45 %']) expect(faultsOf({ rate })).toEqual([])
})

it('what cannot be read is left out, and named with its line', () => {
  const { record, faults } = toReadable(
    account({
      amounts: { LEDGERBAL: { ...AMOUNT, text: 'x' }, AVAILBAL: { ...AMOUNT, date: '20260230' }, CREDIT: AMOUNT },
      dates: { DTPMTDUE: '20260230', DTSERVER: '20260228' },
      rate: 'six',
    }),
    7,
  )
  expect(record).toMatchObject({ amounts: { AVAILBAL: { ...AMOUNT, date: null }, CREDIT: AMOUNT }, rate: null })
  expect([Object.keys(record.amounts), record.dates]).toEqual([['AVAILBAL', 'CREDIT'], { DTSERVER: '20260228' }])
  expect(faults.map(({ en }) => en)).toEqual([
    expect.stringMatching(/7.*amount LEDGERBAL/),
    expect.stringMatching(/7.*AVAILBAL/),
    expect.stringMatching(/7.*DTPMTDUE/),
    expect.stringMatching(/7.*interest rate/),
  ])
})

it('a rate that cannot be read is the only fault where all else can be', () => {
  const { record, faults } = toReadable(account({ rate: 'six', amounts: { LEDGERBAL: AMOUNT } }), 7)
  expect([record.rate, record.amounts, faults.length]).toEqual([null, { LEDGERBAL: AMOUNT }, 1])
})
