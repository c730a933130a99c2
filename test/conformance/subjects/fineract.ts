import { oauthOf, openHarness } from '../../connectors/fineract/harness.ts'
import { submit } from '../../harness/form.ts'
import { listAt, toOpened, withHarness } from '../opened-source.ts'
import type { Row, Subject } from '../subject.ts'

const isUndone = (row: Row) => row.reversed === true || row.manuallyReversed === true
const codeOf = (type: unknown) => (typeof type === 'object' && type !== null && 'code' in type ? String(type.code) : '')

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness()
    return toOpened(harness, await submit(harness, { ...oauthOf(harness), clientId: size === 'small' ? '1' : '9' }))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body) => listAt(body, 'loanAccounts'),
      names: ({ id }) => [`loan/${String(id)}`],
      required: ['id'],
    },
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body) => listAt(body, 'savingsAccounts'),
      names: ({ id }) => [`savings/${String(id)}`],
      required: ['id'],
    },
    {
      pull: 'transactions',
      entity: 'Transactions',
      rows: (body, { url }) => (url.includes('/loans/') ? listAt(body, 'transactions') : null),
      names: ({ id }) => [`loan/${String(id)}`],
      required: ['id', 'type', 'date', 'amount'],
      isLeftOut: (row) => isUndone(row) || codeOf(row.type).endsWith('.accrual'),
    },
    {
      pull: 'transactions',
      entity: 'Transactions',
      rows: (body, { url }) => (url.includes('depositaccounts/') ? listAt(body, 'transactions') : listAt(body, 'content')),
      names: ({ id }) => [`savings/${String(id)}`],
      required: ['id', 'transactionType', 'date', 'amount'],
      words: { 'transactionType.code': 'category' },
      isLeftOut: (row) => isUndone(row) || codeOf(row.transactionType).endsWith('.amountHold'),
    },
  ],
  throttles: [['throttle', 31_000]],
  revoked: 'revoked',
  forbidden: 'forbidden',
  expiredCursor: { because: 'a page is asked for by offset' },
  repeatedPage: 'repeatPage',
  withoutBooks: () => withHarness(openHarness(), async (harness) => [await submit(harness, { clientId: '77' })]),
  requestsSingleRecord: ({ url }) => /accounts\/\d+$|loans\/\d+\?associations=repaymentSchedule$/.test(url),
  inactive: { because: 'the status of bank accounts is another field' },
  publicParts: ['address', 'tenant', 'clientId', 'user', 'tokenAddress'],
}
