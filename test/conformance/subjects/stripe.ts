import { completeLink, link, setStage, startLink } from '../../connectors/stripe/stage.ts'
import { listAt, onStage, textsOf, walked } from '../on-stage.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const stage = await setStage()
    return onStage(stage, await link(stage, size === 'long' ? { bank: 'Giant Holdings Bank' } : {}))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body, { url }) => (url.includes('/accounts?') ? listAt(body, 'data') : null),
      names: (row) => textsOf(row, 'id'),
      required: ['id', 'institution_name', 'status'],
    },
    {
      pull: 'transactions',
      entity: 'Transactions',
      rows: (body, { url }) => (url.includes('/transactions?') ? listAt(body, 'data') : null),
      names: (row) => textsOf(row, 'id'),
      required: ['id', 'account', 'amount', 'currency', 'status'],
      isLeftOut: (row) => row.status === 'void',
    },
  ],
  throttles: [['throttle', 5_000]],
  revoked: 'revoked',
  forbidden: { because: 'what a key may not read is a matter of the operator, never of the owner' },
  expiredCursor: { fault: 'placeGone', size: 'long', pull: 'accounts' },
  repeatedPage: 'repeatedPage',
  withoutBooks: () =>
    walked(setStage(), async (stage) => {
      const { memo } = await startLink(stage)
      return await completeLink(stage, memo)
    }),
  inactive: { because: 'statuses of bank accounts are other words; inactive accounts are tested with the mapping' },
  inTheOpen: ['institutionName'],
}
