import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { type Connector, type Kit, type Page, type Session, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/answers.ts'
import { checkByRefusedGrant } from '../toolkit/app-check.ts'
import { authorization, type Identity, refreshCredentials, revoke, secretOf } from './authorization.ts'
import { hasErrors, toSourceError } from './errors.ts'
import { accountMapping } from './map.ts'
import { ANSWER, listRows, readAccounts } from './read.ts'
import { AccountWire, IdentityWire } from './wire.ts'

/** The chart comes whole: 20,000 accounts are about 9 MB. */
const MAX_CHART_BYTES = 32 * 1024 * 1024

const isIdentity = Compile(IdentityWire)

export const freshbooksConnector: Connector = {
  authorize: authorization(readIdentity),
  checkApp: checkByRefusedGrant(refreshCredentials, { businessUuid: '' }),
  refreshCredentials,
  pulls: [{ name: 'accounts', delivers: ['Accounts'], fetch: fetchChart, read: readAccounts }],
  entities: { Accounts: { wire: AccountWire, map: accountMapping } },
  disconnect: revoke,
}

/**
 * The whole chart, archived accounts included. There is no filter by time, so no run can be told only what changed.
 * Source: https://www.freshbooks.com/api/chart-of-accounts
 */
async function fetchChart(session: Session): Promise<Page> {
  const { bytes, body } = await get(session.kit, {
    accessToken: secretOf(session.credentials).accessToken,
    path: `/accounting/businesses/${encodeURIComponent(session.entityId)}/ledger_accounts/accounts`,
    what: 'the list of accounts',
    maxBytes: MAX_CHART_BYTES,
  })
  listRows(body)
  return { answers: { [ANSWER]: bytes }, next: null, listing: 'complete' }
}

/** Memberships without a business, or in one without a ledger, are left out. Source: https://freshbooks-python-sdk.readthedocs.io/en/release-1.0.1/user_guide/authorization.html */
async function readIdentity(kit: Kit, accessToken: string): Promise<Identity> {
  const { body } = await get(kit, { accessToken, path: '/auth/api/v1/users/me', what: 'the identity' })
  if (!isIdentity.Check(body)) throw new SourceError('badData', 'FreshBooks answered without an identity')
  const businesses = (body.response.business_memberships ?? []).flatMap(({ business }) =>
    business?.business_uuid ? [{ uuid: business.business_uuid, name: business.name ?? '' }] : [],
  )
  return { email: body.response.email ?? null, businesses: businesses.filter(isFirst) }
}

/** A person may be in one business by several roles. */
function isFirst(business: { uuid: string }, index: number, all: readonly { uuid: string }[]): boolean {
  return all.findIndex(({ uuid }) => uuid === business.uuid) === index
}

interface Call {
  accessToken: string
  path: string
  what: string
  maxBytes?: number
}

async function get(kit: Kit, call: Call): Promise<{ bytes: Uint8Array; body: Json }> {
  const response = await kit.http({
    url: `${kit.hosts.api}${call.path}`,
    headers: { accept: 'application/json', authorization: `Bearer ${call.accessToken}` },
    ...(call.maxBytes === undefined ? {} : { maxBytes: call.maxBytes }),
  })
  if (response.status !== 200) throw toSourceError(response, call.what, kit.now())
  const body = responseJson(response, call.what)
  if (hasErrors(body)) throw toSourceError(response, call.what, kit.now())
  return { bytes: response.body, body }
}
