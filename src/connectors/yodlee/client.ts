import { Check } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import { type Connector, type Institution, type InstitutionPage, type Kit, SourceError } from '../contract/contract.ts'
import { accountsPull } from './accounts.ts'
import { disconnect, fastLink, refreshCredentials } from './authorization.ts'
import { toFingerprint } from './fingerprint.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { askYodlee, requestToken } from './request.ts'
import { idText } from './secret.ts'
import { transactionsPull } from './transactions.ts'
import { readYodleeWebhook, subscribe } from './webhook.ts'
import { ProvidersAnswer, ProviderWire, YodleeAccount, YodleeTransaction } from './wire.ts'

/** Maximum page size of the directory. */
const DIRECTORY_PAGE = 500
const COUNTRIES: ReadonlySet<string> = new Set(['US', 'CA'])

export const yodleeConnector: Connector = {
  authorize: fastLink,
  checkApp,
  refreshCredentials,
  pulls: [accountsPull, transactionsPull],
  entities: {
    Accounts: { wire: YodleeAccount, map: toBankAccount },
    Transactions: { wire: YodleeTransaction, map: toBankTransaction },
  },
  reidentify: { account: toFingerprint, renumbersTransactions: true },
  disconnect,
  listInstitutions,
  listPopularInstitutions,
  readWebhook: readYodleeWebhook,
  subscribe,
}

/** Checks the app keys, one of which is the administrator named by the operator. */
async function checkApp(kit: Kit): Promise<void> {
  try {
    await requestToken(kit, kit.app.adminLoginName ?? '')
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'reconnect') throw error
    throw new SourceError('unavailable', `${error.message}: the administrator's name was refused`, { isClientRefused: true })
  }
}

/** One page of the banks of the US and Canada that Yodlee supports. A page that is not full is the last one. */
async function listInstitutions(kit: Kit, cursor: Json | null): Promise<InstitutionPage> {
  const skip = readSkip(cursor)
  const { accessToken: token } = await requestToken(kit, kit.app.adminLoginName ?? '')
  const query = { skip: String(skip), top: String(DIRECTORY_PAGE) }
  const { provider = [] } = await askYodlee(kit, { path: '/providers', query, token }, ProvidersAnswer)
  return { institutions: provider.flatMap(toInstitution), next: provider.length < DIRECTORY_PAGE ? null : skip + DIRECTORY_PAGE }
}

/**
 * Popular institutions: "popular among users of the customer".
 * Source: the API's own document, GET /providers, `priority`.
 */
async function listPopularInstitutions(kit: Kit): Promise<string[]> {
  const { accessToken: token } = await requestToken(kit, kit.app.adminLoginName ?? '')
  const { provider = [] } = await askYodlee(kit, { path: '/providers', query: { priority: 'popular' }, token }, ProvidersAnswer)
  return provider.flatMap(toInstitution).map(({ id }) => id)
}

/** An invalid record is left out: an owner cannot choose a bank without a name. */
function toInstitution(wire: unknown): Institution[] {
  if (!Check(ProviderWire, wire) || wire.status === 'Unsupported') return []
  const [id, country] = [idText(wire.id), (wire.countryISOCode ?? '').toUpperCase()]
  if (id === null || !COUNTRIES.has(country)) return []
  return [{ id, name: wire.name, countries: [country], routingNumbers: [], url: wire.baseUrl ?? null }]
}

function readSkip(cursor: Json | null): number {
  if (cursor === null) return 0
  if (typeof cursor === 'number' && Number.isSafeInteger(cursor) && cursor > 0) return cursor
  throw new SourceError('badData', 'the cursor of the directory is not an offset')
}
