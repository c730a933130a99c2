import type { Json } from '../../../src/model/values/json.ts'
import { complete, connect, consent, GIANT, openHarness } from '../../connectors/wave/harness.ts'
import { at, textsOf, toOpened, withHarness } from '../opened-source.ts'
import type { Subject } from '../subject.ts'

/** Active and archived accounts come in lists of their own, each wrapped in edges. */
function nodesOf(body: Json): Json[] | null {
  const lists = ['active', 'archived'].map((list) => at(body, 'data', 'business', list, 'edges')).filter((list) => Array.isArray(list))
  return lists.length === 0 ? null : lists.flat().map((edge) => at(edge, 'node'))
}

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ giantAccounts: 700 })
    return toOpened(harness, size === 'small' ? await connect(harness) : await connect(harness, { businessId: GIANT, login: 'load' }))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: nodesOf,
      names: (row) => textsOf(row, 'id'),
      required: ['id'],
      words: { 'type.value': 'classApp', 'subtype.value': 'typeApp' },
    },
  ],
  throttles: [
    ['throttle', 60_000],
    ['throttledStatus', 20_000],
  ],
  revoked: 'revoked',
  forbidden: 'closed',
  expiredCursor: { because: 'a page is asked for by its number' },
  repeatedPage: 'repeatPage',
  withoutBooks: () => withHarness(openHarness(), async (harness) => await complete(harness, await consent(harness, { login: 'sam' }))),
  inTheOpen: ['businessId', 'redirectUri'],
}
