import { complete, connect, consent, setStage } from '../../connectors/freshbooks/stage.ts'
import { listAt, onStage, textsOf, walked } from '../on-stage.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const stage = await setStage({ giantAccounts: 500 })
    return onStage(stage, await connect(stage, size === 'small' ? 'grace' : 'load'))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body) => listAt(body, 'data'),
      names: (row) => textsOf(row, 'uuid'),
      required: ['uuid'],
      words: { type: 'classApp', sub_type: 'typeApp', state: 'statusApp' },
    },
  ],
  throttles: [
    ['throttle', 60_000],
    ['retryAfter', 30_000],
  ],
  revoked: 'revoked',
  forbidden: 'forbidden',
  expiredCursor: { because: 'the list has one page' },
  repeatedPage: { because: 'the list has one page' },
  withoutBooks: () => walked(setStage(), async (stage) => await complete(stage, await consent(stage, 'sam'))),
  inTheOpen: ['businessUuid'],
}
