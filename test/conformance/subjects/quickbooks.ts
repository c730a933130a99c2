import { BAKERY, connect, GIANT, openHarness } from '../../connectors/quickbooks/harness.ts'
import { listAt, textsOf, toOpened } from '../opened-source.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ giantAccounts: 2001, callsPerMinute: 100_000 })
    return toOpened(harness, size === 'small' ? await connect(harness, BAKERY) : await connect(harness, GIANT, 'load'))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body) => listAt(body, 'QueryResponse', 'Account'),
      names: (row) => textsOf(row, 'Id'),
      required: ['Id'],
      words: { Classification: 'classApp', AccountType: 'typeApp', AccountSubType: 'subTypeApp' },
    },
    {
      pull: 'journalEntries',
      entity: 'Transactions',
      rows: (body) => listAt(body, 'QueryResponse', 'JournalEntry'),
      names: (row) => textsOf(row, 'Id'),
      required: ['Id', 'Line'],
    },
  ],
  throttles: [['throttle', 60_000]],
  revoked: 'revoked',
  forbidden: { because: 'every role that may connect an app may read the accounts' },
  expiredCursor: { because: 'a page is asked for by its position' },
  repeatedPage: 'repeatPage',
  withoutBooks: { because: 'Intuit sends only owners of a company back' },
  inTheOpen: [],
}
