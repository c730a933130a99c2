import { link, openHarness } from '../../connectors/finicity/harness.ts'
import { openPage, submitPage } from '../../harness/hosted-pages.ts'
import { completeLink, startLink } from '../../harness/redirect.ts'
import { listAt, textsOf, toOpened, withHarness } from '../opened-source.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ giantAccounts: 30, historyDays: size === 'small' ? 30 : 180 })
    return toOpened(harness, await link(harness, size === 'long' ? { username: 'giant' } : {}))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body, { url }) => (url.includes('/institutionLogins/') ? listAt(body, 'accounts') : null),
      names: (row) => textsOf(row, 'id'),
      required: ['id', 'institutionId', 'institutionLoginId'],
      words: { accountNickname: 'accountName' },
    },
    {
      pull: 'transactions',
      entity: 'Transactions',
      rows: (body, { url }) => (url.includes('/transactions') ? listAt(body, 'transactions') : null),
      names: (row) => textsOf(row, 'id'),
      required: ['id', 'accountId', 'amount', 'status', 'transactionDate', 'createdDate'],
      words: { 'categorization.category': 'category' },
      isLeftOut: ({ status }) => status === 'shadow',
    },
  ],
  throttles: [
    ['throttle', 31_000],
    ['limitReached', 60_000],
    ['status977', 3_600_000],
  ],
  revoked: { because: 'the token is the partner’s own and outlives what an owner takes back; test/finicity shows what is read then' },
  forbidden: { because: 'what an owner does not share is not listed' },
  expiredCursor: { because: 'a page is asked for by the place of its first row' },
  repeatedPage: 'repeatPage',
  withoutBooks: () =>
    withHarness(openHarness(), async (harness) => {
      const { url, memo } = await startLink(harness)
      await submitPage((await openPage(url)).html, 'exit', [])
      return await completeLink(harness, memo)
    }),
  requestsSingleRecord: ({ url }) => url.includes('/transactions') || url.includes('/institution/v2/institutions/'),
  inactive: { because: 'a bank account has another status than an account of the books' },
  publicParts: ['customerId', 'institutionLoginId', 'institutionId'],
  redirect: { because: 'Data Connect brings no code back: the login is asked of Finicity' },
}
