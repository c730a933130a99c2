import type { Json } from '../../../src/model/values/json.ts'
import { LOAD, NEWCOMER, openHarness } from '../../connectors/erpnext/harness.ts'
import { submit } from '../../harness/form.ts'
import { listAt, textsOf, toOpened, withHarness } from '../opened-source.ts'
import type { Subject } from '../subject.ts'

function answerOf(doctype: string, field: string) {
  return (body: Json, { url }: { url: string }): Json[] | null =>
    url.includes(`/api/resource/${doctype}?`) && url.includes(`%22${field}%22`) ? listAt(body, 'data') : null
}

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ giantAccounts: 2001 })
    return toOpened(harness, size === 'small' ? await submit(harness) : await submit(harness, LOAD))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: answerOf('Account', 'account_name'),
      names: (row) => textsOf(row, 'name'),
      required: ['name', 'account_name'],
      isHeading: (row) => row.is_group === 1,
      words: { root_type: 'classApp', account_type: 'typeApp' },
    },
    {
      pull: 'entries',
      entity: 'Transactions',
      rows: answerOf('GL%20Entry', 'debit'),
      names: ({ name, voucher_type: type, voucher_no: number }) => [String(name), `${String(type)}/${String(number)}`],
      required: ['name', 'account', 'debit', 'credit', 'posting_date', 'voucher_type', 'voucher_no'],
    },
  ],
  throttles: [['throttle', 31_000]],
  revoked: 'revoked',
  forbidden: 'forbidden',
  expiredCursor: { because: 'a page is asked for behind a name' },
  repeatedPage: 'repeatPage',
  readFaults: {
    throttle: 'rateLimited',
    updating: 'unavailable',
    badGateway: 'unavailable',
    noSite: 'unavailable',
    deadlock: 'unavailable',
    internal: 'unavailable',
    huge: 'unavailable',
    html: 'badData',
    truncated: 'badData',
    empty: 'badData',
    notRows: 'badData',
    refusedField: 'badData',
    unauthorized: 'reconnect',
    revoked: 'reconnect',
    forbidden: 'reconnect',
    wrongCompany: 'reconnect',
  },
  recovers: ['repeatPage', 'duplicateIds'],
  endless: ['repeatPage'],
  drifted: { fault: 'schemaDrift', pull: 'accounts', fits: [true, false, false, true, 'unreadable'] },
  withoutBooks: () => withHarness(openHarness(), async (harness) => [await submit(harness, NEWCOMER)]),
  publicParts: ['address', 'abbreviation'],
}
