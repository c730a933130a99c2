import { openHarness } from '../../connectors/banno/harness.ts'
import { connect } from '../../harness/redirect.ts'
import { listAt, textsOf, toOpened } from '../opened-source.ts'
import { opensFor } from '../redirect-subject.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ giantAccounts: 3 })
    return toOpened(harness, await connect(harness, size === 'small' ? {} : { login: 'load' }))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body, { url }) => (url.endsWith('/accounts') ? listAt(body, 'accounts') : null),
      names: (row) => textsOf(row, 'id'),
      required: ['id'],
    },
    {
      pull: 'transactions',
      entity: 'Transactions',
      rows: (body, { url }) => (url.includes('/transactions?') ? listAt(body, 'transactions') : null),
      names: (row) => textsOf(row, 'id'),
      required: ['id', 'amount'],
      words: { 'enrichments.expenseCategory': 'category' },
    },
  ],
  throttles: [
    ['throttle', 30_000],
    ['throttleBare', 60_000],
  ],
  revoked: 'revoked',
  forbidden: 'forbidden',
  expiredCursor: { because: 'pages are asked for by offset, which is never too old' },
  repeatedPage: 'repeatPage',
  readFaults: { unauthorized: 'reconnect', throttle: 'rateLimited', unavailable: 'unavailable', html: 'badData', truncated: 'badData' },
  secretFaults: ['forbidden'],
  publicParts: [],
  redirect: {
    open: opensFor(openHarness, 'maren'),
    refuses: { decision: 'deny' },
    codeMs: 60_000,
    otherBooks: 'wrongPerson',
    forged: { because: 'the callback names nobody' },
    withoutBooks: { answer: { login: 'nobody' }, says: ['account', 'compte'] },
    scopes: /^openid$|^profile$|readonly$|offline_access$/,
    several: { because: 'one sign-in is one person' },
    frenchPage: /Partager vos comptes/,
    accessTokenMs: 10 * 60_000,
    usedRefreshToken: 'ended',
    lostAnswer: 'reconnect',
    seeded: { because: 'the simulator of Banno has the same accounts for every seed' },
    slow: { because: 'the simulator of Banno holds no answer back' },
    disconnect: 'all tokens',
  },
}
