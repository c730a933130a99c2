import { GIANT_BANK } from '../../../simulators/mx/data/institutions.ts'
import { link, openHarness } from '../../connectors/mx/harness.ts'
import { listAt, textsOf, toOpened } from '../opened-source.ts'
import { COMMON_READ_FAULTS, type Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ institutionCount: 20 })
    return toOpened(harness, await link(harness, size === 'long' ? { institutionId: GIANT_BANK } : {}))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body) => listAt(body, 'accounts'),
      names: (row) => textsOf(row, 'guid'),
      required: ['guid'],
    },
    {
      pull: 'transactions',
      entity: 'Transactions',
      rows: (body) => listAt(body, 'transactions'),
      names: (row) => textsOf(row, 'guid'),
      required: ['guid', 'account_guid', 'amount', 'type'],
      words: { category: 'category' },
    },
  ],
  throttles: [
    ['throttle', 20_000],
    ['throttleBare', 60_000],
  ],
  revoked: 'revoked',
  forbidden: { because: 'what an owner does not share is not listed' },
  expiredCursor: { because: 'pages are numbered and transactions are asked for by day; neither expires' },
  repeatedPage: 'repeatedPage',
  readFaults: {
    ...COMMON_READ_FAULTS,
    throttleBare: 'rateLimited',
    badGateway: 'unavailable',
    forbidden: 'unavailable',
    invalidKeys: 'reconnect',
    reset: 'unavailable',
    huge: 'unavailable',
  },
  withoutBooks: { because: 'a member is made by signing in at a bank, whose accounts are all shared' },
  inactive: { because: 'the status of a bank account has other words than an archive' },
  publicParts: ['userGuid', 'memberGuid', 'institutionCode'],
}
