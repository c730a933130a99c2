import { Check } from 'typebox/value'
import type { Connector, Credentials, Institution, InstitutionPage, Kit } from '../contract/contract.ts'
import { checkCertificate } from '../toolkit/oauth/app-check.ts'
import { accountsPull } from './accounts.ts'
import { tellerConnect } from './authorization.ts'
import { toFingerprint } from './fingerprint.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { askTeller, callTeller, TellerError } from './request.ts'
import { readSecret } from './secret.ts'
import { transactionsPull } from './transactions.ts'
import { readTellerWebhook } from './webhook.ts'
import { InstitutionWire, ListAnswer, TellerAccount, TellerTransaction } from './wire.ts'

export const tellerConnector: Connector = {
  authorize: tellerConnect,
  checkApp,
  pulls: [accountsPull, transactionsPull],
  entities: {
    Accounts: { wire: TellerAccount, map: toBankAccount },
    Transactions: { wire: TellerTransaction, map: toBankTransaction },
  },
  reidentify: { account: toFingerprint, renumbersTransactions: true },
  disconnect,
  listInstitutions,
  readWebhook: readTellerWebhook,
}

/** Call without an access token: Teller refuses it, but only after it has checked the certificate. */
async function checkApp(kit: Kit): Promise<void> {
  const { certificate = '', privateKey = '' } = kit.app
  // Without a certificate, Teller's response shows whether one is required.
  if (certificate !== '' || privateKey !== '') checkCertificate(certificate, privateKey, kit.now())
  try {
    await callTeller(kit, null, '/accounts')
  } catch (error) {
    if (!(error instanceof TellerError && (error.status === 401 || error.status === 403))) throw error
  }
}

/**
 * Revokes the authorization of all accounts of the enrollment.
 * Source: https://teller.io/docs/api/accounts#delete-accounts
 */
async function disconnect(kit: Kit, credentials: Credentials): Promise<void> {
  try {
    await callTeller(kit, readSecret(credentials).accessToken, '/accounts', 'DELETE')
  } catch (error) {
    // Already revoked: nothing is left to disconnect.
    const isGone = error instanceof TellerError && error.kind === 'reconnect'
    if (!isGone) throw error
  }
}

/**
 * Institution directory in one response; every institution is in the United States.
 * Source: https://teller.io/docs/api/institutions
 */
async function listInstitutions(kit: Kit): Promise<InstitutionPage> {
  return { institutions: (await askTeller(kit, null, '/institutions', ListAnswer)).flatMap(toInstitution), next: null }
}

/** An invalid record is left out: an owner cannot choose a bank without a name. */
function toInstitution(wire: unknown): Institution[] {
  if (!Check(InstitutionWire, wire)) return []
  return [{ id: wire.id, name: wire.name, countries: ['US'], routingNumbers: [], url: null }]
}
