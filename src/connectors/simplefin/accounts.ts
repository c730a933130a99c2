import type { Pull } from '../contract/contract.ts'
import { readAccounts } from './read.ts'
import { askAccounts, readSecret } from './request.ts'

/** All accounts of all banks in one answer. Where some bank has trouble its accounts may be missing: then nothing is called complete. */
export const pullAccounts: Pull = {
  name: 'accounts',
  delivers: ['Accounts'],
  async fetch({ kit, credentials }) {
    const { body, isWhole } = await askAccounts(kit, readSecret(credentials), { 'balances-only': '1' })
    return { answers: { accounts: body }, next: null, listing: isWhole ? 'complete' : 'changes' }
  },
  read: readAccounts,
}
