import type { Json } from '../../../src/model/values/json.ts'
import { link, openHarness, walkLink } from '../../connectors/flinks/harness.ts'
import { queryOf } from '../../harness/hosted-pages.ts'
import { completeLink, startLink } from '../../harness/redirect.ts'
import { at, listAt, textsOf, toOpened, withHarness } from '../opened-source.ts'
import type { Subject } from '../subject.ts'

/** The array itself with the first account's transactions; other accounts have separate arrays. */
function movementsOf(body: Json): Json[] | null {
  const [first] = (listAt(body, 'Accounts') ?? []).filter((account) => FIRST.includes(String(at(account, 'Title'))))
  return first === undefined ? null : listAt(first, 'Transactions')
}

const FIRST = ['Compte d’entreprise', 'Succursale G0']

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ giantAccounts: 45, historyDays: size === 'small' ? 20 : 365 })
    return toOpened(harness, await link(harness, size === 'long' ? { username: 'giant' } : {}))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body, { url }) => (url.includes('/GetAccountsDetail') ? listAt(body, 'Accounts') : null),
      names: (row) => textsOf(row, 'Id'),
      required: ['Id'],
      words: { Title: 'accountName' },
    },
    {
      pull: 'transactions',
      entity: 'Transactions',
      rows: (body, { url }) => (url.includes('/GetAccountsDetail') ? movementsOf(body) : null),
      names: (row) => textsOf(row, 'Id'),
      required: ['Id', 'Date', 'Credit', 'Debit'],
      words: { Description: 'description' },
    },
  ],
  throttles: [
    ['throttle', 31_000],
    ['tooMany', 60_000],
  ],
  revoked: 'cardGone',
  forbidden: { because: 'what an owner does not share is not listed' },
  expiredCursor: { fault: 'sessionExpired', size: 'small', pull: 'transactions' },
  repeatedPage: { because: 'accounts are asked for by their Ids, and no list has a second page' },
  volatile: { because: 'every answer of Flinks has a request id' },
  withoutBooks: () =>
    withHarness(openHarness(), async (harness) => {
      const { url, memo } = await startLink(harness)
      const { leftFor } = await walkLink(url, 'Empty')
      return await completeLink(harness, memo, queryOf(leftFor))
    }),
  inactive: { because: 'Flinks lists open accounts only' },
  publicParts: ['institutionId'],
  redirect: { because: 'Flinks Connect brings a login back, no code: it is asked of Flinks' },
}
