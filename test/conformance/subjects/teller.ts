import { completeLink, link, setStage, startLink } from '../../connectors/teller/stage.ts'
import { listAt, onStage, textsOf, walked } from '../on-stage.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const stage = await setStage({ institutionCount: 5, giant: { accounts: 45, perDay: 12 } })
    return onStage(stage, await link(stage, size === 'long' ? { institutionId: 'giant_holdings_bank' } : {}))
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
    walked(setStage({ institutionCount: 5 }), async (stage) => {
      const { memo } = await startLink(stage)
      return await completeLink(stage, memo, { failure: 'no_accounts' })
    }),
  inactive: { because: 'statuses of bank accounts are other words; closed accounts are tested with the mapping' },
  inTheOpen: ['enrollmentId', 'institutionId'],
}
