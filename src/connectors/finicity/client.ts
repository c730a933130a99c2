import { Check } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import {
  type Connector,
  type Credentials,
  type Institution,
  type InstitutionPage,
  type Kit,
  type Session,
  SourceError,
} from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import { accountsPull } from './accounts.ts'
import { dataConnect } from './authorization.ts'
import { toFingerprint } from './fingerprint.ts'
import { fetchLogin, headsOf, listCustomerAccounts } from './login-accounts.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { LOAN_GROUP } from './read.ts'
import { askFinicity, authenticate, callFinicity, FinicityError } from './request.ts'
import { readSecret, toCredentials } from './secret.ts'
import { transactionsPull } from './transactions.ts'
import { readFinicityWebhook } from './webhook.ts'
import { FinicityAccount, FinicityTransaction, InstitutionsAnswer, InstitutionWire } from './wire.ts'

/** Maximum page size of the directory. */
const DIRECTORY_PAGE = 1_000
const MAX_PAGE = 32 * 1024 * 1024

export const finicityConnector: Connector = {
  authorize: dataConnect,
  checkApp: async (kit) => void (await authenticate(kit)),
  refreshCredentials: async (kit, credentials) => toCredentials({ ...readSecret(credentials), token: await authenticate(kit) }, kit.now()),
  pulls: [accountsPull, transactionsPull],
  entities: {
    Accounts: { wire: FinicityAccount, map: toBankAccount },
    Transactions: { wire: FinicityTransaction, map: toBankTransaction },
  },
  reidentify: { account: toFingerprint, renumbersTransactions: true },
  disconnect,
  listInstitutions,
  readWebhook: readFinicityWebhook,
  // Handshake: the listener is verified once by returning the code.
  // Source: https://developer.mastercard.com/open-finance-us/documentation/products/manage/tx-push/
  answerHandshake: ({ txpush_verify_code: code }) => (code !== undefined && /^[\w.-]{1,200}$/.test(code) ? code : null),
  subscribe,
}

/** Deletes the login, and the customer when it was the last one. */
async function disconnect(kit: Kit, credentials: Credentials): Promise<void> {
  const { customerId, institutionLoginId } = readSecret(credentials)
  const token = await authenticate(kit)
  const login = { path: '/aggregation/v1/customers/*/institutionLogins/*', ids: [customerId, institutionLoginId] }
  await unlessGone(() => callFinicity(kit, token, { method: 'DELETE', ...login }))
  await unlessGone(async () => {
    if ((await listCustomerAccounts(kit, token, customerId)).length > 0) return
    await callFinicity(kit, token, { method: 'DELETE', path: '/aggregation/v1/customers/*', ids: [customerId] })
  })
}

/** Already deleted: nothing is left to disconnect. */
async function unlessGone(leave: () => Promise<unknown>): Promise<void> {
  try {
    await leave()
  } catch (error) {
    if (!(error instanceof FinicityError) || !error.isGone) throw error
  }
}

/** Subscribes to TxPUSH, account by account, for operators whose contract includes it. */
async function subscribe({ kit, credentials }: Session, webhookUrl: string): Promise<void> {
  if (kit.app.txPush !== 'yes') return
  const secret = readSecret(credentials)
  for (const { id, type } of await headsOf(await fetchLogin(kit, secret))) {
    if (type === LOAN_GROUP) continue
    const path = '/aggregation/v1/customers/*/accounts/*/txpush'
    const ids = [secret.customerId, String(id)]
    await callFinicity(kit, secret.token, { method: 'POST', path, ids, body: { callbackUrl: webhookUrl } })
  }
}

/** One page of the banks of the US and Canada. One token serves all pages: the cursor keeps it. */
async function listInstitutions(kit: Kit, cursor: Json | null): Promise<InstitutionPage> {
  const { token, page } = cursor === null ? { token: await authenticate(kit), page: 1 } : readCursor(cursor)
  const query = { start: String(page), limit: String(DIRECTORY_PAGE), supportedCountries: 'us,ca' }
  const call = { path: '/institution/v2/institutions', query, maxBytes: MAX_PAGE }
  const { institutions, moreAvailable } = await askFinicity(kit, token, call, InstitutionsAnswer)
  if (moreAvailable && institutions.length === 0) throw new SourceError('badData', 'the directory promises more and shows nothing')
  return { institutions: institutions.flatMap(toInstitution), next: moreAvailable ? { token, page: page + 1 } : null }
}

/** Left out: institutions without a name, without transactions, or replaced by another entry. */
function toInstitution(wire: unknown): Institution[] {
  if (!Check(InstitutionWire, wire) || wire.transAgg === false) return []
  const { newInstitutionId: moved } = wire
  if (moved !== null && moved !== undefined && String(moved) !== String(wire.id)) return []
  const name = wire.displayName?.trim() || wire.name?.trim()
  if (!name) return []
  return [
    {
      id: String(wire.id),
      name,
      countries: [countryOf(wire.address?.country, wire.currency)],
      routingNumbers: [],
      url: wire.urlHomeApp ?? null,
    },
  ]
}

const COUNTRIES: Readonly<Record<string, string>> = { CAN: 'CA', CANADA: 'CA', CA: 'CA' }

function countryOf(country: string | null | undefined, currency: string | null | undefined): string {
  return COUNTRIES[(country ?? '').trim().toUpperCase()] ?? (currency?.toUpperCase() === 'CAD' ? 'CA' : 'US')
}

function readCursor(cursor: Json): { token: string; page: number } {
  if (isJsonObject(cursor) && typeof cursor.token === 'string' && typeof cursor.page === 'number' && cursor.page >= 1)
    return { token: cursor.token, page: cursor.page }
  throw new SourceError('badData', 'the cursor of the directory is not a page')
}
