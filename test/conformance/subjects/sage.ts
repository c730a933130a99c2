import { complete, connect, consent, openHarness } from '../../connectors/sage/harness.ts'
import { at, listAt, textsOf, toOpened, withHarness } from '../opened-source.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ giantAccounts: 450, callsPerMinute: 100_000, callsPerDay: 100_000 })
    return toOpened(harness, await connect(harness, size === 'small' ? 'lucie' : 'load'))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body, { url }) => (url.includes('/ledger_accounts?') ? listAt(body, '$items') : null),
      names: (row) => textsOf(row, 'id'),
      required: ['id'],
      words: {
        'ledger_account_group.id': 'classApp',
        'ledger_account_type.id': 'typeApp',
        control_name: 'subTypeApp',
      },
    },
    {
      pull: 'journals',
      entity: 'Transactions',
      rows: (body, { url }) => (url.includes('/journals?') ? listAt(body, '$items') : null),
      names: (row) => textsOf(row, 'id'),
      required: ['id', 'journal_lines'],
      words: { 'transaction_type.id': 'sourceType' },
      isLeftOut: (row) => at(row, 'deleted_at') !== null,
    },
  ],
  throttles: [
    ['throttle', 60_000],
    ['retryAfter', 30_000],
  ],
  revoked: 'revoked',
  forbidden: 'noSubscription',
  expiredCursor: { because: 'a page is asked for by its number' },
  repeatedPage: 'repeatPage',
  withoutBooks: () => withHarness(openHarness(), async (harness) => await complete(harness, await consent(harness, 'sam'))),
  inTheOpen: ['businessId'],
}
