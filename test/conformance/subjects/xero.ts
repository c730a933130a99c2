import { complete, connect, consent, DENTIST, GIANT, openHarness } from '../../connectors/xero/harness.ts'
import { listAt, textsOf, toOpened, withHarness } from '../opened-source.ts'
import type { Subject } from '../subject.ts'

const OPTIONS = { giantAccounts: 500, callsPerMinute: 100_000, callsPerDay: 100_000 }

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness(OPTIONS)
    return toOpened(harness, size === 'small' ? await connect(harness, DENTIST) : await connect(harness, GIANT, 'load'))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body) => listAt(body, 'Accounts'),
      names: (row) => textsOf(row, 'AccountID'),
      required: ['AccountID'],
      words: { Class: 'classApp', Type: 'typeApp', SystemAccount: 'subTypeApp', Status: 'statusApp' },
    },
    {
      pull: 'journals',
      entity: 'Transactions',
      rows: (body) => listAt(body, 'Journals'),
      names: (row) => textsOf(row, 'JournalID'),
      required: ['JournalID', 'JournalNumber', 'JournalLines'],
      words: { SourceType: 'sourceType' },
    },
  ],
  throttles: [
    ['throttle', 27_000],
    ['throttleDay', 5 * 3_600_000],
    ['throttleConcurrent', 1_000],
  ],
  revoked: 'revoked',
  forbidden: 'missingScope',
  expiredCursor: { because: 'journals are asked for behind a number, manual ones by page' },
  repeatedPage: 'repeatPage',
  withoutBooks: () =>
    withHarness(openHarness(OPTIONS), async (harness) => await complete(harness, await consent(harness, '', 'allow', 'sam'))),
  inTheOpen: ['connectionId'],
}
