import type { Pull } from '../contract/contract.ts'
import { readAccounts } from './read.ts'
import { askAccounts, readSecret } from './request.ts'

/**
 * All accounts of all banks in one response. When a bank has an error its accounts may be missing: the list is then
 * marked incomplete.
 */
export const pullAccounts: Pull = {
  name: 'accounts',
  delivers: ['Accounts'],
  async fetch({ kit, credentials }) {
    const { body, isWhole } = await askAccounts(kit, readSecret(credentials), { 'balances-only': '1' })
    return { answers: { accounts: body }, next: null, listing: isWhole ? 'complete' : 'changes' }
  },
  read: readAccounts,
}
