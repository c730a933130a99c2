import type { Json } from '../../../src/model/values/json.ts'
import { DENTIST, GIANT, openHarness } from '../../connectors/wave/harness.ts'
import { connect } from '../../harness/redirect.ts'
import { at, textsOf, toOpened } from '../opened-source.ts'
import { opensFor } from '../redirect-subject.ts'
import { COMMON_READ_FAULTS, type Subject } from '../subject.ts'

/** Active and archived accounts are in separate lists, each wrapped in edges. */
function nodesOf(body: Json): Json[] | null {
  const lists = ['active', 'archived'].map((list) => at(body, 'data', 'business', list, 'edges')).filter((list) => Array.isArray(list))
  return lists.length === 0 ? null : lists.flat().map((edge) => at(edge, 'node'))
}

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ giantAccounts: 700 })
    return toOpened(harness, await connect(harness, size === 'small' ? {} : { businessId: GIANT, login: 'load' }))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: nodesOf,
      names: (row) => textsOf(row, 'id'),
      required: ['id'],
      words: { 'type.value': 'classApp', 'subtype.value': 'typeApp' },
    },
  ],
  throttles: [
    ['throttle', 60_000],
    ['throttledStatus', 20_000],
  ],
  revoked: 'revoked',
  forbidden: 'closed',
  expiredCursor: { because: 'a page is asked for by its number' },
  repeatedPage: 'repeatPage',
  readFaults: {
    ...COMMON_READ_FAULTS,
    throttledStatus: 'rateLimited',
    misleadingStatus: 'reconnect',
    internalError: 'unavailable',
    huge: 'unavailable',
    partial: 'badData',
    unauthorized: 'reconnect',
    revoked: 'reconnect',
    closed: 'reconnect',
  },
  recovers: ['repeatPage', 'duplicateIds'],
  endless: ['repeatPage'],
  drifted: { fault: 'schemaDrift', pull: 'accounts', fits: [true, false, true, true, 'unreadable'] },
  publicParts: ['businessId', 'redirectUri'],
  redirect: {
    open: opensFor(openHarness, 'elodie'),
    refuses: { decision: 'deny' },
    codeMs: 600_000,
    forged: { because: 'the callback names no business' },
    swapped: { login: 'priya', businessId: DENTIST },
    withoutBooks: { answer: { login: 'sam' }, says: ['Pro plan', 'forfait Pro'], fault: 'noBusiness' },
    scopes: /:read$|^offline_access$/,
    several: { because: 'the owner picks one business at Wave' },
    frenchPage: /Boutique Érable &amp; Lin[\s\S]*>Autoriser<\/button>/,
    accessTokenMs: 2 * 3_600_000,
    usedRefreshToken: 'ended',
    lostAnswer: 'reconnect',
    refreshFaults: { lapsed: 'reconnect' },
    disconnect: 'all tokens',
  },
}
