import { complete, connect, consent, setStage } from '../../connectors/sage/stage.ts'
import { at, listAt, onStage, textsOf, walked } from '../on-stage.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const stage = await setStage({ giantAccounts: 450, callsPerMinute: 100_000, callsPerDay: 100_000 })
    return onStage(stage, await connect(stage, size === 'small' ? 'lucie' : 'load'))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body, { url }) => (url.includes('/ledger_accounts?') ? listAt(body, '$items') : null),
      names: (row) => textsOf(row, 'id'),
      required: ['id'],
      words: {
        'ledger_account_group.id': 'classApp',
        'ledger_account_type.id': 'typeApp',
        control_name: 'subTypeApp',
      },
    },
    {
      pull: 'journals',
      entity: 'Transactions',
      rows: (body, { url }) => (url.includes('/journals?') ? listAt(body, '$items') : null),
      names: (row) => textsOf(row, 'id'),
      required: ['id', 'journal_lines'],
      words: { 'transaction_type.id': 'sourceType' },
      isLeftOut: (row) => at(row, 'deleted_at') !== null,
    },
  ],
  throttles: [
    ['throttle', 60_000],
    ['retryAfter', 30_000],
  ],
  revoked: 'revoked',
  forbidden: 'noSubscription',
  expiredCursor: { because: 'a page is asked for by its number' },
  repeatedPage: 'repeatPage',
  withoutBooks: () => walked(setStage(), async (stage) => await complete(stage, await consent(stage, 'sam'))),
  inTheOpen: ['businessId'],
}
