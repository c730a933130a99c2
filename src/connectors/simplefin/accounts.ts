import type { Pull, SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject } from '../toolkit/answers.ts'
import { askAccounts, readSecret, toAccountId, toAccountSet } from './request.ts'

/** All accounts of all banks in one answer. Where some bank has trouble its accounts may be missing: then nothing is called complete. */
export const pullAccounts: Pull = {
  name: 'accounts',
  delivers: ['Accounts'],
  async fetch({ kit, credentials }) {
    const { body, isWhole } = await askAccounts(kit, readSecret(credentials), { 'balances-only': '1' })
    return { answers: { accounts: body }, next: null, listing: isWhole ? 'complete' : 'changes' }
  },
  *read(answers): Iterable<SourceItem> {
    const seen = new Set<string>()
    for (const account of toAccountSet(answerJson(answers, 'accounts')).accounts) {
      const id = toAccountId(account)
      if (id === null || !isJsonObject(account)) yield { entity: 'Accounts', origId: null, unreadable: 'an account without an id' }
      else if (!seen.has(id)) {
        seen.add(id)
        const { transactions: _transactions, ...rest } = account
        yield { entity: 'Accounts', origId: id, wire: { id, account: rest } }
      }
    }
  },
}
