import type { Json } from '../../model/values/json.ts'
import { type Kit, type Pull, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject } from '../toolkit/answers.ts'
import { toEntityId } from './authorization.ts'
import { ask, type HelixSecret, listAccounts, openEnvelope, readSecret } from './request.ts'
import { CustomerData, ListData, ProgramData } from './wire.ts'

/** All accounts of the customer in one answer, with the program's name, which is all that Helix tells of the bank. */
export const pullAccounts: Pull = {
  name: 'accounts',
  delivers: ['Accounts'],
  async fetch({ kit, credentials, entityId }) {
    const secret = readSecret(credentials)
    await checkCustomer(kit, secret, entityId)
    const program = await ask(kit, secret, 'program/get', ProgramData, 'the program')
    const accounts = await listAccounts(kit, secret)
    return { answers: { program: program.body, accounts: accounts.body }, next: null, listing: 'complete' }
  },
  *read(answers): Iterable<SourceItem> {
    const { name } = openEnvelope(answerJson(answers, 'program'), ProgramData, 'the program')
    const seen = new Set<string>()
    for (const row of openEnvelope(answerJson(answers, 'accounts'), ListData, 'the accounts')) {
      const id = accountIdOf(row)
      if (id === null) yield { entity: 'Accounts', origId: null, unreadable: 'an account without an accountId' }
      else if (!seen.has(id)) {
        seen.add(id)
        yield { entity: 'Accounts', origId: id, wire: { program: name ?? '', account: withoutNumbers(row) } }
      }
    }
  },
}

export function accountIdOf(row: unknown): string | null {
  const id = isJsonObject(row) ? row.accountId : null
  return typeof id === 'number' || (typeof id === 'string' && id !== '') ? String(id) : null
}

/** The full account number comes along; no record may carry it. */
function withoutNumbers(row: unknown): Json {
  if (!isJsonObject(row)) return null
  const { accountNumber: _number, routingNumber: _routing, ...rest } = row
  return rest
}

/** Throws `reconnect` when another customer took the number, as a sandbox that was reset does. */
export async function checkCustomer(kit: Kit, secret: HelixSecret, entityId: string): Promise<void> {
  const { data } = await ask(kit, secret, `customer/get/${secret.customerId}`, CustomerData, 'the customer')
  if (toEntityId(data) !== entityId)
    throw new SourceError('reconnect', 'Helix: the number leads to another customer than the one that was connected', {
      reason: 'otherEntity',
    })
}
