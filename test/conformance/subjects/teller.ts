import { link, openHarness } from '../../connectors/teller/harness.ts'
import { completeLink, startWidget } from '../../harness/redirect.ts'
import { listAt, textsOf, toOpened, withHarness } from '../opened-source.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ institutionCount: 5, giant: { accounts: 45, perDay: 12 } })
    return toOpened(harness, await link(harness, size === 'long' ? { institutionId: 'giant_holdings_bank' } : {}))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body, { url }) => (url.endsWith('/accounts') ? listAt(body) : null),
      names: (row) => textsOf(row, 'id'),
      required: ['id'],
    },
    {
      pull: 'transactions',
      entity: 'Transactions',
      rows: (body, { url }) => (url.includes('/transactions?') ? listAt(body) : null),
      names: (row) => textsOf(row, 'id'),
      required: ['id', 'account_id', 'amount', 'date', 'status'],
      words: { 'details.category': 'category' },
    },
  ],
  throttles: [['throttle', 31_000]],
  revoked: 'revoked',
  forbidden: 'forbidden',
  expiredCursor: { because: 'Teller gives no cursors: a place in the history is named by a movement, a day by itself' },
  repeatedPage: 'repeatedPage',
  withoutBooks: () =>
    withHarness(openHarness({ institutionCount: 5 }), async (harness) => {
      const { memo } = await startWidget(harness)
      return await completeLink(harness, memo, { failure: 'no_accounts' })
    }),
  inactive: { because: 'statuses of bank accounts are other words; closed accounts are tested with the mapping' },
  publicParts: ['enrollmentId', 'institutionId'],
}
