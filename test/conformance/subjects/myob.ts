import { complete, connect, consent, GIANT, setStage } from '../../connectors/myob/stage.ts'
import { listAt, onStage, textsOf, walked } from '../on-stage.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const stage = await setStage({ giantAccounts: 2001, callsPerSecond: 100_000 })
    return onStage(stage, size === 'small' ? await connect(stage) : await connect(stage, { businessId: GIANT, login: 'load' }))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body, { url }) => (url.includes('/GeneralLedger/Account?') ? listAt(body, 'Items') : null),
      names: (row) => textsOf(row, 'UID'),
      required: ['UID'],
      words: { Classification: 'classApp', Type: 'typeApp' },
    },
    {
      pull: 'journals',
      entity: 'Transactions',
      rows: (body, { url }) => (url.includes('/GeneralLedger/JournalTransaction?') ? listAt(body, 'Items') : null),
      names: (row) => textsOf(row, 'UID'),
      required: ['UID', 'Lines'],
    },
  ],
  throttles: [
    ['throttle', 1_000],
    ['throttledBefore', 1_000],
    ['retryAfter', 12_000],
    ['dayIsOver', 60_000],
  ],
  revoked: 'revoked',
  forbidden: 'forbidden',
  expiredCursor: { because: 'a page is asked for by its position' },
  repeatedPage: 'repeatPage',
  withoutBooks: () => walked(setStage(), async (stage) => await complete(stage, await consent(stage, { login: 'sam' }))),
  inTheOpen: ['businessId'],
}
