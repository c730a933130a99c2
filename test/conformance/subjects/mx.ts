import { GIANT_BANK } from '../../../simulators/mx/directory.ts'
import { link, setStage } from '../../connectors/mx/stage.ts'
import { listAt, onStage, textsOf } from '../on-stage.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const stage = await setStage({ institutionCount: 20 })
    return onStage(stage, await link(stage, size === 'long' ? { institutionId: GIANT_BANK } : {}))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body) => listAt(body, 'accounts'),
      names: (row) => textsOf(row, 'guid'),
      required: ['guid'],
    },
    {
      pull: 'transactions',
      entity: 'Transactions',
      rows: (body) => listAt(body, 'transactions'),
      names: (row) => textsOf(row, 'guid'),
      required: ['guid', 'account_guid', 'amount', 'type'],
      words: { category: 'category' },
    },
  ],
  throttles: [
    ['throttle', 20_000],
    ['throttleBare', 1_000],
  ],
  revoked: 'revoked',
  forbidden: { because: 'what an owner does not share is not listed' },
  expiredCursor: { because: 'pages are numbered and transactions are asked for by day; neither expires' },
  repeatedPage: 'repeatedPage',
  withoutBooks: { because: 'a member is made by signing in at a bank, whose accounts are all shared' },
  inactive: { because: 'the status of a bank account has other words than an archive' },
  inTheOpen: ['userGuid', 'memberGuid', 'institutionCode'],
}
