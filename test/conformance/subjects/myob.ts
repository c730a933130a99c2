import { complete, connect, consent, GIANT, openHarness } from '../../connectors/myob/harness.ts'
import { listAt, textsOf, toOpened, withHarness } from '../opened-source.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ giantAccounts: 2001, callsPerSecond: 100_000 })
    return toOpened(harness, size === 'small' ? await connect(harness) : await connect(harness, { businessId: GIANT, login: 'load' }))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body, { url }) => (url.includes('/GeneralLedger/Account?') ? listAt(body, 'Items') : null),
      names: (row) => textsOf(row, 'UID'),
      required: ['UID'],
      words: { Classification: 'classApp', Type: 'typeApp' },
    },
    {
      pull: 'journals',
      entity: 'Transactions',
      rows: (body, { url }) => (url.includes('/GeneralLedger/JournalTransaction?') ? listAt(body, 'Items') : null),
      names: (row) => textsOf(row, 'UID'),
      required: ['UID', 'Lines'],
    },
  ],
  throttles: [
    ['throttle', 1_000],
    ['throttledBefore', 1_000],
    ['retryAfter', 12_000],
    ['dayIsOver', 60_000],
  ],
  revoked: 'revoked',
  forbidden: 'forbidden',
  expiredCursor: { because: 'a page is asked for by its position' },
  repeatedPage: 'repeatPage',
  withoutBooks: () => withHarness(openHarness(), async (harness) => await complete(harness, await consent(harness, { login: 'sam' }))),
  inTheOpen: ['businessId'],
}
