import { complete, connect, consent, openHarness } from '../../connectors/freshbooks/harness.ts'
import { listAt, textsOf, toOpened, withHarness } from '../opened-source.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ giantAccounts: 500 })
    return toOpened(harness, await connect(harness, size === 'small' ? 'grace' : 'load'))
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
  withoutBooks: () => withHarness(openHarness(), async (harness) => await complete(harness, await consent(harness, 'sam'))),
  inTheOpen: ['businessUuid'],
}
