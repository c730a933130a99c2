import { link, openHarness } from '../../connectors/plaid/harness.ts'
import { listAt, textsOf, toOpened } from '../opened-source.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: async () => {
    const harness = await openHarness({ institutionCount: 20 })
    return toOpened(harness, await link(harness))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body, { url }) => (url.endsWith('/accounts/get') ? listAt(body, 'accounts') : null),
      names: (row) => textsOf(row, 'account_id'),
      required: ['account_id', 'balances'],
    },
    {
      pull: 'transactions',
      entity: 'Transactions',
      rows: (body) => listAt(body, 'added'),
      names: (row) => textsOf(row, 'transaction_id'),
      required: ['transaction_id', 'account_id', 'amount', 'pending', 'date'],
      words: { 'personal_finance_category.detailed': 'category' },
    },
  ],
  throttles: [['rateLimit', 60_000]],
  revoked: 'revoked',
  forbidden: { because: 'what an owner does not share is not listed' },
  expiredCursor: { fault: 'mutation', size: 'small', pull: 'transactions' },
  repeatedPage: { because: 'a cursor of Plaid names a place in the history, not a page' },
  readFaults: {
    rateLimit: 'rateLimited',
    unavailable: 'unavailable',
    maintenance: 'unavailable',
    institutionDown: 'unavailable',
    invalidKeys: 'unavailable',
    loginRequired: 'reconnect',
    revoked: 'reconnect',
    unauthorized: 'reconnect',
    html: 'badData',
    truncated: 'badData',
    empty: 'badData',
    reset: 'unavailable',
    huge: 'unavailable',
  },
  volatile: { because: 'every answer of Plaid has a request id' },
  withoutBooks: { because: 'the bank lets nobody finish who shares no account' },
  inactive: { because: 'Plaid lists open accounts only' },
  publicParts: ['itemId', 'institutionId'],
  redirect: { because: 'the hosted Link brings no code back: what was linked is asked of Plaid' },
}
