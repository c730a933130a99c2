import { GIANT_BANK } from '../../../simulators/yodlee/data/institutions.ts'
import { link, openHarness } from '../../connectors/yodlee/harness.ts'
import { listAt, textsOf, toOpened } from '../opened-source.ts'
import { COMMON_READ_FAULTS, type Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ institutionCount: 20 })
    return toOpened(harness, await link(harness, size === 'long' ? { institutionId: String(GIANT_BANK) } : {}))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body) => listAt(body, 'account'),
      names: (row) => textsOf(row, 'id'),
      required: ['id'],
    },
    {
      pull: 'transactions',
      entity: 'Transactions',
      rows: (body, { url }) => (new URL(url).pathname.endsWith('/transactions') ? listAt(body, 'transaction') : null),
      names: (row) => [`${String(row.CONTAINER)}/${String(row.id)}`],
      required: ['id', 'CONTAINER', 'accountId', 'amount', 'baseType'],
      words: { category: 'category' },
    },
  ],
  throttles: [
    ['throttle', 45_000],
    ['throttleBare', 60_000],
  ],
  revoked: 'revoked',
  forbidden: { because: 'what an owner does not share is not listed' },
  expiredCursor: { because: 'pages are counted from the front and transactions are asked for by day; neither expires' },
  repeatedPage: 'repeatedPage',
  readFaults: {
    ...COMMON_READ_FAULTS,
    throttleBare: 'rateLimited',
    badGateway: 'unavailable',
    forbidden: 'unavailable',
    unauthorized: 'reconnect',
    reset: 'unavailable',
    huge: 'unavailable',
  },
  withoutBooks: { because: 'a provider account is made by signing in at a bank, whose accounts are all shared' },
  inactive: { because: 'the status of a bank account has other words than an archive' },
  publicParts: ['loginName', 'providerAccountId', 'providerId'],
}
