import { Check } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import { type Connector, type Credentials, type Institution, type InstitutionPage, type Kit, SourceError } from '../contract/contract.ts'
import { accountsPull, pathOf } from './accounts.ts'
import { connectWidget } from './authorization.ts'
import { toFingerprint } from './fingerprint.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { askMx, callMx, MxError } from './request.ts'
import { readSecret } from './secret.ts'
import { transactionsPull } from './transactions.ts'
import { readMxWebhook } from './webhook.ts'
import { InstitutionsAnswer, InstitutionWire, MxAccount, MxTransaction } from './wire.ts'

/** Maximum page size: above 100 MX falls back to 25. */
const DIRECTORY_PAGE = 100
const COUNTRIES: ReadonlySet<string> = new Set(['US', 'CA'])

export const mxConnector: Connector = {
  authorize: connectWidget,
  checkApp: async (kit) => void (await callMx(kit, { path: '/institutions', query: { page: '1', records_per_page: '10' } })),
  pulls: [accountsPull, transactionsPull],
  entities: {
    Accounts: { wire: MxAccount, map: toBankAccount },
    Transactions: { wire: MxTransaction, map: toBankTransaction },
  },
  reidentify: { account: toFingerprint, renumbersTransactions: true },
  disconnect,
  listInstitutions,
  listPopularInstitutions,
  readWebhook: readMxWebhook,
}

/**
 * Deletes the member with all data that MX read. The user is kept, without data: other banks of the company may belong
 * to it.
 */
async function disconnect(kit: Kit, credentials: Credentials): Promise<void> {
  try {
    await callMx(kit, { method: 'DELETE', path: pathOf(readSecret(credentials)) })
  } catch (error) {
    // Already revoked: nothing is left to disconnect.
    if (!(error instanceof MxError && error.status === 404)) throw error
  }
}

/** One page of the banks of the US and Canada that an owner can choose. */
async function listInstitutions(kit: Kit, cursor: Json | null): Promise<InstitutionPage> {
  const page = readPage(cursor)
  const query = { page: String(page), records_per_page: String(DIRECTORY_PAGE) }
  const { institutions, pagination } = await askMx(kit, { path: '/institutions', query }, InstitutionsAnswer)
  return { institutions: institutions.flatMap(toInstitution), next: page < pagination.total_pages ? page + 1 : null }
}

/**
 * Favourite institutions of MX's client, "sorted by popularity".
 * Source: https://docs.mx.com/api-reference/platform-api/reference/list-favorite-institutions/
 */
async function listPopularInstitutions(kit: Kit): Promise<string[]> {
  const query = { page: '1', records_per_page: String(DIRECTORY_PAGE) }
  const { institutions } = await askMx(kit, { path: '/institutions/favorites', query }, InstitutionsAnswer)
  return institutions.flatMap(toInstitution).map(({ id }) => id)
}

/** An invalid record is left out: an owner cannot choose a bank without a name. */
function toInstitution(wire: unknown): Institution[] {
  if (!Check(InstitutionWire, wire) || wire.is_disabled_by_client || wire.is_hidden) return []
  const country = (wire.iso_country_code ?? '').toUpperCase()
  if (!COUNTRIES.has(country)) return []
  return [{ id: wire.code, name: wire.name, countries: [country], routingNumbers: [], url: wire.url ?? null }]
}

function readPage(cursor: Json | null): number {
  if (cursor === null) return 1
  if (typeof cursor === 'number' && Number.isSafeInteger(cursor) && cursor > 1) return cursor
  throw new SourceError('badData', 'the cursor of the directory is not a page')
}
