import type { Pull } from '../contract/contract.ts'
import { readCompany } from './company.ts'
import { afterClause, nextCursor } from './paging.ts'
import { readAccounts } from './read.ts'
import { openCalls, readSecret } from './request.ts'

const PAGE_SIZE = 1000

/** Account fields that exist in every version since 13; a field that the site does not have is refused. */
const FIELDS = [
  ...['name', 'account_name', 'account_number', 'root_type', 'account_type', 'parent_account', 'is_group', 'account_currency'],
  'disabled',
]

/**
 * Chart of accounts, including disabled and group accounts. A page begins after a name, so that a change during
 * pagination skips no account.
 */
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
