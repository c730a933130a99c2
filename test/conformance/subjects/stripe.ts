import { link, openHarness } from '../../connectors/stripe/harness.ts'
import { completeLink, startWidget } from '../../harness/redirect.ts'
import { listAt, textsOf, toOpened, withHarness } from '../opened-source.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness()
    return toOpened(harness, await link(harness, size === 'long' ? { bank: 'Giant Holdings Bank' } : {}))
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
  readFaults: {
    throttle: 'rateLimited',
    outage: 'unavailable',
    invalidKey: 'unavailable',
    html: 'badData',
    truncated: 'badData',
    empty: 'badData',
  },
  withoutBooks: () =>
    withHarness(openHarness(), async (harness) => {
      const { memo } = await startWidget(harness)
      return await completeLink(harness, memo)
    }),
  inactive: { because: 'statuses of bank accounts are other words; inactive accounts are tested with the mapping' },
  publicParts: ['institutionName'],
}
