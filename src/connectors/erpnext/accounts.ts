import type { Pull } from '../contract/contract.ts'
import { readCompany } from './company.ts'
import { afterClause, nextCursor } from './paging.ts'
import { readAccounts } from './read.ts'
import { openCalls, readSecret } from './request.ts'

const PAGE_SIZE = 1000

/** In every version since 13; a field that the site does not have is refused. */
const FIELDS = [
  ...['name', 'account_name', 'account_number', 'root_type', 'account_type', 'parent_account', 'is_group', 'account_currency'],
  'disabled',
]

/** The whole chart, disabled and group accounts too. A page begins after a name, so that no account can slip under a change. */
export const pullAccounts: Pull = {
  name: 'accounts',
  delivers: ['Accounts'],
  async fetch({ kit, credentials, entityId }, cursor) {
    const secret = readSecret(credentials)
    const calls = openCalls(kit, secret)
    const company = await readCompany(calls, secret, entityId)
    const filters = [['company', '=', company.name], ...afterClause(cursor)]
    const { body, rows } = await calls.list('Account', { fields: FIELDS, filters, limit: PAGE_SIZE })
    return { answers: { accounts: body }, next: nextCursor(cursor, rows, PAGE_SIZE), listing: 'complete' }
  },
  read: readAccounts,
}
