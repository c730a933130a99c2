import { type Kit, type Pull, SourceError } from '../contract/contract.ts'
import { toEntityId } from './authorization.ts'
import { readAccounts } from './read.ts'
import { ask, type HelixSecret, listAccounts, readSecret } from './request.ts'
import { CustomerData, ProgramData } from './wire.ts'

/** All accounts of the customer in one response, with the program's name, the only bank data that Helix sends. */
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
  read: readAccounts,
}

/** Throws `reconnect` when the number belongs to another customer now, as after a sandbox reset. */
export async function checkCustomer(kit: Kit, secret: HelixSecret, entityId: string): Promise<void> {
  const { data } = await ask(kit, secret, `customer/get/${secret.customerId}`, CustomerData, 'the customer')
  if (toEntityId(data) !== entityId)
    throw new SourceError('reconnect', 'Helix: the number leads to another customer than the one that was connected', {
      reason: 'otherEntity',
    })
}
