import type { Json } from '../../../src/model/values/json.ts'
import { openHarness } from '../../connectors/freeagent/harness.ts'
import { connect } from '../../harness/redirect.ts'
import { at, listAt, toOpened } from '../opened-source.ts'
import { opensFor } from '../redirect-subject.ts'
import { COMMON_READ_FAULTS, type Row, type Subject } from '../subject.ts'

/** The chart is an object with one list per group. */
function categoriesOf(body: Json): Json[] | null {
  const groups = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : []
  const lists = groups.flatMap(([name, rows]) => (name.endsWith('_categories') && Array.isArray(rows) ? [rows] : []))
  return lists.length === 0 ? null : lists.flat()
}

/** The last path segment of an address is the id; the last two identify a document. */
function endOf(url: Json | undefined, parts: number): string {
  return typeof url === 'string' ? url.split('/').slice(-parts).join('/') : ''
}

function namesOf({ url, source_item_url: item, dated_on: day }: Row): string[] {
  return [endOf(url, 1), ...(item ? [`${endOf(item, 2)}@${String(day)}`] : [endOf(url, 2)])]
}

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ giantAccounts: 500, callsPerMinute: 100_000 })
    return toOpened(harness, await connect(harness, size === 'small' ? {} : { login: 'load' }))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: categoriesOf,
      names: ({ url }) => [endOf(url, 1)],
      required: ['url'],
      words: { nominal_code: 'number' },
    },
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body) => listAt(body, 'bank_accounts'),
      names: () => [],
      required: ['url'],
      isAuxiliary: true,
    },
    {
      pull: 'transactions',
      entity: 'Transactions',
      rows: (body) => listAt(body, 'transactions'),
      names: namesOf,
      required: ['url', 'dated_on', 'category', 'debit_value', 'source_item_url', 'description'],
      isLeftOut: (row) => Number(at(row, 'debit_value')) === 0,
    },
  ],
  throttles: [
    ['throttle', 30_000],
    ['throttleBare', 60_000],
  ],
  revoked: 'revoked',
  forbidden: 'forbidden',
  expiredCursor: { because: 'a page is asked for by its number' },
  repeatedPage: 'repeatPage',
  readFaults: {
    ...COMMON_READ_FAULTS,
    throttleBare: 'rateLimited',
    huge: 'unavailable',
    errorBody: 'badData',
    unauthorized: 'reconnect',
    forbidden: 'reconnect',
    revoked: 'reconnect',
  },
  recovers: ['repeatPage', 'lostPage', 'duplicateIds'],
  endless: ['repeatPage'],
  publicParts: [],
  redirect: {
    open: opensFor(openHarness, 'fiona'),
    refuses: { decision: 'deny' },
    codeMs: 15 * 60_000,
    verifier: { because: 'FreeAgent takes no PKCE' },
    forged: { because: 'the callback names no company' },
    withoutBooks: { answer: { login: 'sam' }, says: ['no company', 'aucune entreprise'] },
    scopes: { because: 'FreeAgent has no scopes' },
    several: { because: 'one token opens one company' },
    frenchPage: />Autoriser<\/button>/,
    callLimit: { settings: { callsPerMinute: 5 }, windowMs: 60_000 },
    accessTokenMs: 3_600_000,
    usedRefreshToken: 'ended',
    lostAnswer: 'reconnect',
    disconnect: { because: 'FreeAgent has no call that ends an authorization' },
  },
}
