import { openHarness } from '../../connectors/freshbooks/harness.ts'
import { CALLBACK, connect } from '../../harness/redirect.ts'
import { listAt, textsOf, toOpened } from '../opened-source.ts'
import { opensFor } from '../redirect-subject.ts'
import { COMMON_READ_FAULTS, type Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ giantAccounts: 500 })
    return toOpened(harness, await connect(harness, size === 'small' ? {} : { login: 'load' }))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body) => listAt(body, 'data'),
      names: (row) => textsOf(row, 'uuid'),
      required: ['uuid'],
      words: { type: 'classApp', sub_type: 'typeApp', state: 'statusApp' },
    },
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body) => listAt(body, 'response', 'result', 'journal_entry_accounts'),
      names: (row) => textsOf(row, 'account_uuid'),
      required: [],
      isAuxiliary: true,
    },
  ],
  throttles: [
    ['throttle', 60_000],
    ['retryAfter', 30_000],
  ],
  revoked: 'revoked',
  forbidden: 'forbidden',
  expiredCursor: { because: 'the list has one page' },
  repeatedPage: { because: 'the list has one page' },
  readFaults: {
    ...COMMON_READ_FAULTS,
    retryAfter: 'rateLimited',
    huge: 'unavailable',
    errorBody: 'badData',
    paged: 'badData',
    unauthorized: 'reconnect',
    forbidden: 'reconnect',
    revoked: 'reconnect',
  },
  recovers: ['duplicateIds'],
  drifted: { fault: 'schemaDrift', pull: 'accounts', fits: [true, false, true, true, 'unreadable'] },
  publicParts: ['businessUuid'],
  redirect: {
    open: opensFor(openHarness, 'grace'),
    refuses: { decision: 'cancel' },
    codeMs: 300_000,
    forged: { because: 'the callback names no business' },
    withoutBooks: { answer: { login: 'sam' }, says: ['no business', 'aucune entreprise'], fault: 'noBusiness' },
    scopes: /:read$/,
    several: { login: 'nora' },
    frenchPage: />Autoriser<\/button>/,
    invalidRequests: [{ redirect_uri: `${CALLBACK}?a=1` }, { scope: 'user:profile:write' }, { code_challenge_method: 'plain' }],
    accessTokenMs: 12 * 3_600_000,
    usedRefreshToken: 'ended',
    lostAnswer: 'reconnect',
    disconnect: 'all tokens',
  },
}
