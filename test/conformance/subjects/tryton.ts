import type { Grant, HttpRequest, Kit } from '../../../src/connectors/contract/contract.ts'
import { trytonConnector } from '../../../src/connectors/tryton/client.ts'
import type { Json } from '../../../src/model/values/json.ts'
import { submitForm } from '../../harness/form.ts'
import { listAt, textsOf } from '../opened-source.ts'
import { openImitation } from '../stub-servers/imitation.ts'
import { imitateTryton, USERS } from '../stub-servers/tryton.ts'
import type { Subject } from '../subject.ts'

function submitAs(user: keyof typeof USERS) {
  return async (kit: Kit, address: string): Promise<Grant> =>
    await submitForm(trytonConnector, kit, { address, database: 'muster', user, password: USERS[user] })
}

function answerOf(method: string) {
  return (body: Json, { body: asked }: Pick<HttpRequest, 'body'>): Json[] | null =>
    String(asked).includes(`"${method}"`) ? listAt(body, 'result') : null
}

export const subject: Subject = {
  open: (size) => openImitation(imitateTryton(size === 'small' ? 40 : 1200), submitAs('reader')),
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: answerOf('model.account.account.search_read'),
      names: (row) => textsOf(row, 'id'),
      required: ['id', 'name', 'type', 'closed', 'active', 'code', 'currency.'],
    },
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: answerOf('model.account.account.type.search_read'),
      names: () => [],
      required: [],
      isAuxiliary: true,
    },
    {
      pull: 'entries',
      entity: 'Transactions',
      rows: answerOf('model.account.move.search_read'),
      names: (row) => textsOf(row, 'id'),
      required: [],
      isAuxiliary: true,
    },
    {
      pull: 'entries',
      entity: 'Transactions',
      rows: answerOf('model.account.move.line.search_read'),
      names: (row) => textsOf(row, 'id', 'move'),
      required: ['id', 'move', 'account', 'debit', 'credit', 'party.', 'account.'],
    },
  ],
  throttles: [['throttle', 300_000]],
  revoked: 'revoked',
  forbidden: 'forbidden',
  expiredCursor: { because: 'a page is asked for behind an id' },
  repeatedPage: { because: 'a page is asked for behind an id; the server has no pages of its own' },
  withoutBooks: async () => [(await openImitation(imitateTryton(0), submitAs('nobody'))).grant],
  publicParts: ['address', 'database', 'user'],
}
