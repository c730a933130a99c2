import { complete, connect, consent, GIANT, openHarness, SHOP } from '../../connectors/zoho/harness.ts'
import { at, listAt, textsOf, toOpened, withHarness } from '../opened-source.ts'
import type { Subject } from '../subject.ts'

const OPTIONS = { giantAccounts: 401, callsPerMinute: 100_000, callsPerDay: 100_000 }

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness(OPTIONS)
    return toOpened(harness, size === 'small' ? await connect(harness, SHOP) : await connect(harness, GIANT, 'load'))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body) => listAt(body, 'chartofaccounts'),
      names: (row) => textsOf(row, 'account_id'),
      required: ['account_id'],
      words: { account_type: 'typeApp' },
    },
    {
      // The list tells which journals there are; what they post stands in an answer each.
      pull: 'journals',
      entity: 'Transactions',
      rows: (body, { url }) => (url.includes('per_page=20&') ? listAt(body, 'journals') : null),
      names: (row) => textsOf(row, 'journal_id'),
      required: ['journal_id'],
      isLeftOut: ({ status }) => status === 'draft',
    },
    {
      pull: 'journals',
      entity: 'Transactions',
      rows: (body) => (at(body, 'journal') === null ? null : [at(body, 'journal')]),
      names: (row) => textsOf(row, 'journal_id'),
      required: ['journal_id', 'status', 'line_items'],
      isBeside: true,
    },
  ],
  asksForOne: ({ url }) => /\/journals\/\d/.test(url),
  throttles: [
    ['throttle', 60_000],
    ['throttleDay', 3_600_000],
    ['throttleConcurrent', 1_000],
    ['throttleOdd', 60_000],
  ],
  revoked: 'revoked',
  forbidden: 'unauthorized',
  expiredCursor: { because: 'a page is asked for by its number' },
  repeatedPage: 'repeatPage',
  withoutBooks: () => withHarness(openHarness(OPTIONS), async (harness) => await complete(harness, await consent(harness, 'sam'))),
  inTheOpen: ['accountsAt', 'apiAt'],
}
