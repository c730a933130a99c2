import type { Json } from '../../../src/model/values/json.ts'
import { at, listAt, textsOf, toOpened, withHarness } from '../../conformance/opened-source.ts'
import type { List, Row, Subject } from '../../conformance/subject.ts'
import { completeLink, startLink } from '../../harness/redirect.ts'
import { type BankKey, link, openHarness, walk } from './harness.ts'

/** One subject for all profiles, which differ only in the layout of their answers. */
export function fdxSubject(key: BankKey, options: { isFlat: boolean; repeatedPage: Subject['repeatedPage'] }): Subject {
  return {
    open: async (size) => {
      const harness = await openHarness(key, { giantAccounts: 110 })
      return toOpened(harness, await link(harness, size === 'small' ? 'business' : 'giant'))
    },
    lists: [list('accounts', options.isFlat), list('transactions', options.isFlat)],
    throttles: [
      ['rateLimit', 20_000],
      ['rateLimitUntimed', 60_000],
    ],
    revoked: 'revoked',
    forbidden: 'forbidden',
    expiredCursor: { because: 'a place in a list is asked for within one run only' },
    repeatedPage: options.repeatedPage,
    withoutBooks: () =>
      withHarness(openHarness(key), async (harness) => {
        const { url, memo } = await startLink(harness)
        return await completeLink(harness, memo, await walk(harness, url, 'empty'))
      }),
    hasParts: true,
    inactive: { because: 'what a bank closes is closed, and listed as such' },
    publicParts: ['subject', 'institutionId', 'institutionName'],
    redirect: {
      because: 'codes and tokens of all profiles are judged in connectors/fdx: the provider there is an OpenID server of its own',
    },
  }
}

function list(pull: 'accounts' | 'transactions', isFlat: boolean): List {
  const isAccounts = pull === 'accounts'
  const id = isAccounts ? 'accountId' : 'transactionId'
  return {
    pull,
    entity: isAccounts ? 'Accounts' : 'Transactions',
    // The additional list of an aggregator has more properties of the same accounts.
    rows: (body, { url }) => (url.includes('accountIds=') ? null : listAt(body, pull)),
    names: (row) => namesOf(isFlat ? row : innerOf(row), isAccounts),
    required: isFlat
      ? isAccounts
        ? [id]
        : [id, 'accountId', 'amount', 'debitCreditMemo', 'status', 'postedTimestamp', 'transactionTimestamp']
      : [isAccounts ? 'depositAccount' : 'depositTransaction'],
  }
}

function namesOf(row: Row, isAccounts: boolean): string[] {
  if (isAccounts) return textsOf(row, 'accountId')
  return textsOf(row, 'accountId').flatMap((account) => textsOf(row, 'transactionId').map((id) => `${account}/${id}`))
}

function innerOf(row: Row): Row {
  const [inner]: Json[] = Object.values(row)
  return typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? inner : (at(row) as Row)
}
