import { complete, connect, consent, GIANT, SHOP, setStage } from '../../connectors/zoho/stage.ts'
import { at, listAt, onStage, textsOf, walked } from '../on-stage.ts'
import type { Subject } from '../subject.ts'

const OPTIONS = { giantAccounts: 401, callsPerMinute: 100_000, callsPerDay: 100_000 }

export const subject: Subject = {
  open: async (size) => {
    const stage = await setStage(OPTIONS)
    return onStage(stage, size === 'small' ? await connect(stage, SHOP) : await connect(stage, GIANT, 'load'))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body) => listAt(body, 'chartofaccounts'),
      names: (row) => textsOf(row, 'account_id'),
      required: ['account_id'],
      words: { account_type: 'typeApp' },
    },
    {
      // The list tells which journals there are; what they post stands in an answer each.
      pull: 'journals',
      entity: 'Transactions',
      rows: (body, { url }) => (url.includes('per_page=20&') ? listAt(body, 'journals') : null),
      names: (row) => textsOf(row, 'journal_id'),
      required: ['journal_id'],
      isLeftOut: ({ status }) => status === 'draft',
    },
    {
      pull: 'journals',
      entity: 'Transactions',
      rows: (body) => (at(body, 'journal') === null ? null : [at(body, 'journal')]),
      names: (row) => textsOf(row, 'journal_id'),
      required: ['journal_id', 'status', 'line_items'],
      isBeside: true,
    },
  ],
  asksForOne: ({ url }) => /\/journals\/\d/.test(url),
  throttles: [
    ['throttle', 60_000],
    ['throttleDay', 3_600_000],
    ['throttleConcurrent', 1_000],
    ['throttleOdd', 60_000],
  ],
  revoked: 'revoked',
  forbidden: 'unauthorized',
  expiredCursor: { because: 'a page is asked for by its number' },
  repeatedPage: 'repeatPage',
  withoutBooks: () => walked(setStage(OPTIONS), async (stage) => await complete(stage, await consent(stage, 'sam'))),
  inTheOpen: ['accountsAt', 'apiAt'],
}
