import { FLINKS_TO_STRIPE } from './flinks-to-stripe.ts'
import { toOfx } from './ofx.ts'
import { PLAID_TO_YODLEE } from './plaid-to-yodlee.ts'
import type { AccountSource } from './shown.ts'

/** Eight aggregators and the file that a bank offers for download. */
export const ACCOUNT_SOURCES: readonly AccountSource[] = [
  ...PLAID_TO_YODLEE,
  ...FLINKS_TO_STRIPE,
  {
    key: 'bank-files',
    days: 60,
    render: (list) => ({ accounts: list.map((one) => ({ file: toOfx(one) })), transactions: [] }),
  },
]
