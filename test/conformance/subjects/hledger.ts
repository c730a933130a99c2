import { hledgerConnector } from '../../../src/connectors/hledger/client.ts'
import { submitForm } from '../../harness/form.ts'
import { imitateHledger, OWNER } from '../stub-servers/hledger.ts'
import { openImitation } from '../stub-servers/imitation.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: (size) =>
    openImitation(imitateHledger(size === 'small' ? 0 : 800), (kit, address) => submitForm(hledgerConnector, kit, { address, ...OWNER })),
  lists: [
    {
      // Names only: accounts are assembled from names, declarations and postings.
      pull: 'books',
      entity: 'Accounts',
      rows: (body, { url }) =>
        url.endsWith('/accountnames') && Array.isArray(body) ? body.map((name) => (typeof name === 'string' ? { name } : name)) : null,
      names: ({ name }) => [String(name)],
      required: ['name'],
    },
    {
      pull: 'books',
      entity: 'Transactions',
      rows: (body, { url }) => (url.endsWith('/transactions') && Array.isArray(body) ? body : null),
      // Entries have no id; ours is derived from the dates, code and text.
      names: () => [],
      required: [],
      isAuxiliary: true,
    },
  ],
  throttles: [['throttle', 20_000]],
  revoked: 'revoked',
  forbidden: 'forbidden',
  expiredCursor: { because: 'the journal comes in one piece' },
  repeatedPage: { because: 'the journal comes in one piece' },
  withoutBooks: { because: 'a server holds one journal' },
  inactive: { because: 'hledger knows no inactive accounts' },
  publicParts: ['address', 'user', 'dollar'],
}
