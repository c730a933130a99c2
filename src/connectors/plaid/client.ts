import { Check } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import { type Connector, type Credentials, type Institution, type InstitutionPage, type Kit, SourceError } from '../contract/contract.ts'
import { accountsPull } from './accounts.ts'
import { hostedLink } from './authorization.ts'
import { toFingerprint } from './fingerprint.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { askPlaid, callPlaid, PlaidError } from './request.ts'
import { readSecret } from './secret.ts'
import { transactionsPull } from './transactions.ts'
import { readPlaidWebhook } from './webhook.ts'
import { InstitutionsAnswer, InstitutionWire, PlaidAccount, PlaidTransaction } from './wire.ts'

/** Maximum page size of the directory. */
const DIRECTORY_PAGE = 500

export const plaidConnector: Connector = {
  authorize: hostedLink,
  checkApp: async (kit) =>
    void (await askPlaid(kit, '/institutions/get', { count: 1, offset: 0, country_codes: ['US'] }, InstitutionsAnswer)),
  pulls: [accountsPull, transactionsPull],
  entities: {
    Accounts: { wire: PlaidAccount, map: toBankAccount },
    Transactions: { wire: PlaidTransaction, map: toBankTransaction },
  },
  reidentify: { account: toFingerprint, renumbersTransactions: true },
  disconnect,
  listInstitutions,
  readWebhook: readPlaidWebhook,
}

async function disconnect(kit: Kit, credentials: Credentials): Promise<void> {
  try {
    await callPlaid(kit, '/item/remove', { access_token: readSecret(credentials).accessToken })
  } catch (error) {
    // Already revoked: nothing is left to disconnect.
    if (error instanceof PlaidError && (error.code === 'ITEM_NOT_FOUND' || error.code === 'INVALID_ACCESS_TOKEN')) return
    throw error
  }
}

/**
 * One page of the banks that offer transactions in the US and Canada. Pages may be short, so only the offset counts.
 * The limit is 50 calls a minute for the whole deployment. Logos (and with them the addresses) are left out: they would
 * make the response ten times as large.
 * Source: https://plaid.com/docs/api/institutions/#institutionsget
 */
async function listInstitutions(kit: Kit, cursor: Json | null): Promise<InstitutionPage> {
  const offset = readOffset(cursor)
  const body = { count: DIRECTORY_PAGE, offset, country_codes: ['US', 'CA'], options: { products: ['transactions'] } }
  const answer = await askPlaid(kit, '/institutions/get', body, InstitutionsAnswer)
  const next = offset + DIRECTORY_PAGE
  return { institutions: answer.institutions.flatMap(toInstitution), next: next < answer.total ? next : null }
}

/** An invalid record is left out: an owner cannot choose a bank without a name. */
function toInstitution(wire: unknown): Institution[] {
  if (!Check(InstitutionWire, wire)) return []
  return [
    {
      id: wire.institution_id,
      name: wire.name,
      countries: wire.country_codes.map((country) => country.toUpperCase()),
      routingNumbers: wire.routing_numbers ?? [],
      url: wire.url ?? null,
    },
  ]
}

function readOffset(cursor: Json | null): number {
  if (cursor === null) return 0
  if (typeof cursor === 'number' && Number.isSafeInteger(cursor) && cursor > 0) return cursor
  throw new SourceError('badData', 'the cursor of the directory is not an offset')
}
