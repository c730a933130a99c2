import type { Json } from '../../../src/model/values/json.ts'
import { connect, openHarness } from '../../connectors/simplefin/harness.ts'
import { submit } from '../../harness/form.ts'
import { at, listAt, toOpened, withHarness } from '../opened-source.ts'
import type { Row, Subject } from '../subject.ts'

/** Accounts of the simulator that have transactions, by domain and id. */
const WITH_MOVEMENTS = ['ACT-1', 'ACT-2', 'ACT-3', 'ACT-4'].map((id) => ['caisse-du-lac.example', id] as const)

const idOf = (row: Row): string[] => {
  const domain = [at(row, 'org', 'domain'), at(row, 'org', 'id'), at(row, 'org', 'name'), at(row, 'org', 'sfin-url')].find(
    (word) => typeof word === 'string' && word !== '',
  )
  return typeof row.id === 'string' ? [domain ? `${String(domain)}/${row.id}` : row.id] : []
}

function movementsOf(domain: string, id: string) {
  return (body: Json): Json[] | null => {
    const account = listAt(body, 'accounts')?.find((each) => at(each, 'id') === id && at(each, 'org', 'domain') === domain)
    return listAt(account, 'transactions')
  }
}

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness()
    return toOpened(harness, await connect(harness, size === 'small' ? 'cafe' : 'giant'))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body) => listAt(body, 'accounts'),
      names: idOf,
      required: ['id'],
    },
    ...[...WITH_MOVEMENTS, ['firstharbor.example', 'ACT-1'] as const, ['firstharbor.example', 'ACT-90'] as const].map(([domain, id]) => ({
      pull: 'transactions',
      entity: 'Transactions' as const,
      rows: movementsOf(domain, id),
      names: (row: Row) => [`${domain}/${id}/${String(row.id)}`],
      required: ['id', 'posted', 'amount'],
    })),
  ],
  throttles: [
    ['throttle', 31_000],
    ['quota', 6 * 3_600_000],
  ],
  revoked: 'revoked',
  forbidden: 'unpaid',
  expiredCursor: { because: 'a page is asked for by days' },
  repeatedPage: { because: 'a window of days has no pages' },
  withoutBooks: () =>
    withHarness(openHarness(), async (harness) => [
      await submit(harness, { token: Buffer.from(`${harness.url}/simplefin/claim/none`).toString('base64') }),
    ]),
  inactive: { because: 'SimpleFIN lists open accounts only' },
  publicParts: ['base', 'user', 'entityId', 'marks'],
}
