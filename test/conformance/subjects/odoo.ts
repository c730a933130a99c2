import type { Json } from '../../../src/model/values/json.ts'
import { LOAD, openHarness, SALES } from '../../connectors/odoo/harness.ts'
import { submit } from '../../harness/form.ts'
import { textsOf, toOpened, withHarness } from '../opened-source.ts'
import type { Row, Subject } from '../subject.ts'

function answerOf(model: string) {
  return (body: Json, { url }: { url: string }): Json[] | null =>
    url.endsWith(`/${model}/search_read`) && Array.isArray(body) ? body : null
}

function moveOf({ move_id: move }: Row): string[] {
  return Array.isArray(move) ? [String(move[0])] : []
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
      rows: answerOf('account.account'),
      names: (row) => textsOf(row, 'id'),
      required: ['id', 'name'],
      words: { internal_group: 'classApp', account_type: 'typeApp' },
    },
    {
      pull: 'entries',
      entity: 'Transactions',
      rows: answerOf('account.move'),
      names: (row) => textsOf(row, 'id').flatMap((id) => [id, `move/${id}`]),
      required: ['id', 'date'],
      isAuxiliary: true,
      words: { move_type: 'sourceType' },
    },
    {
      pull: 'entries',
      entity: 'Transactions',
      rows: answerOf('account.move.line'),
      names: (row) => [...textsOf(row, 'id'), ...moveOf(row)],
      required: ['id', 'move_id', 'account_id', 'debit', 'credit'],
    },
  ],
  isProbe: ({ url }) => url.endsWith('/web/version'),
  throttles: [['throttle', 60_000]],
  revoked: 'revoked',
  forbidden: 'accessError',
  expiredCursor: { because: 'a page is asked for behind an id' },
  repeatedPage: 'repeatPage',
  recovers: ['repeatPage', 'duplicateIds'],
  endless: ['repeatPage'],
  drifted: { fault: 'schemaDrift', pull: 'accounts', fits: [true, false, false, true, 'unreadable'] },
  withoutBooks: () => withHarness(openHarness(), async (harness) => [await submit(harness, SALES)]),
  publicParts: ['address', 'database', 'user', 'language'],
}
