import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { type Connector, type Kit, type Page, type Session, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/answers.ts'
import { checkByRefusedGrant } from '../toolkit/app-check.ts'
import { authorization, type Identity, refreshCredentials, revoke, secretOf } from './authorization.ts'
import { hasErrors, toSourceError } from './errors.ts'
import { accountMapping } from './map.ts'
import { advance, toCursor } from './paging.ts'
import { ACCOUNTS, BUSINESSES } from './queries.ts'
import { ANSWER, findConnection, readAccounts } from './read.ts'
import { AccountWire, BusinessesWire } from './wire.ts'

/** Wave publishes no largest page; this one keeps an answer near 100 KB. */
const ROWS = 200

/** Of 50 businesses each: a list that goes on past them has no end. */
const MAX_PAGES_OF_BUSINESSES = 20

const isBusinesses = Compile(BusinessesWire)

export const waveConnector: Connector = {
  authorize: authorization(readIdentity),
  checkApp: checkByRefusedGrant(refreshCredentials, { businessId: '', redirectUri: 'https://localhost/' }),
  refreshCredentials,
  pulls: [{ name: 'accounts', delivers: ['Accounts'], fetch: fetchAccounts, read: readAccounts }],
  entities: { Accounts: { wire: AccountWire, map: accountMapping } },
  disconnect: revoke,
}

/** One page of the active and one of the archived accounts in one call. There is no filter by time, so no run can be told only what changed. */
async function fetchAccounts(session: Session, stored: Json | null): Promise<Page> {
  const cursor = toCursor(stored)
  const variables = {
    businessId: session.entityId,
    pageSize: ROWS,
    active: cursor.active !== null,
    activePage: cursor.active?.page ?? 1,
    archived: cursor.archived !== null,
    archivedPage: cursor.archived?.page ?? 1,
  }
  const { accessToken } = secretOf(session.credentials)
  const { bytes, body } = await ask(session.kit, accessToken, { query: ACCOUNTS, variables, what: 'the query for accounts' })
  const next = advance(cursor, { active: findConnection(body, 'active'), archived: findConnection(body, 'archived') })
  return { answers: { [ANSWER]: bytes }, next, listing: 'complete' }
}

/** Archived businesses take part in nothing and are left out. */
async function readIdentity(kit: Kit, accessToken: string): Promise<Identity> {
  const identity: Identity = { email: null, businesses: [] }
  for (let page = 1; page <= MAX_PAGES_OF_BUSINESSES; page++) {
    const { body } = await ask(kit, accessToken, { query: BUSINESSES, variables: { page }, what: 'the query for businesses' })
    const data = typeof body === 'object' && body !== null && !Array.isArray(body) ? body.data : null
    if (!isBusinesses.Check(data)) throw new SourceError('badData', 'Wave answered without a list of businesses')
    identity.email = data.user?.defaultEmail ?? identity.email
    for (const { node } of data.businesses.edges) {
      if (node && node.isArchived !== true) identity.businesses.push({ id: node.id, name: node.name ?? '' })
    }
    if (page >= (data.businesses.pageInfo.totalPages ?? 0)) return identity
  }
  throw new SourceError('badData', 'the list of businesses has no end')
}

interface Question {
  query: string
  variables: Record<string, Json>
  what: string
}

/** One query; the body says whether it failed, whatever the status. */
async function ask(kit: Kit, accessToken: string, { query, variables, what }: Question): Promise<{ bytes: Uint8Array; body: Json }> {
  const response = await kit.http({
    method: 'POST',
    url: `${kit.hosts.api}/graphql/public`,
    headers: { accept: 'application/json', 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({ query, variables }),
  })
  if (response.status !== 200) throw toSourceError(response, what, kit.now())
  const body = responseJson(response, what)
  if (hasErrors(body)) throw toSourceError(response, what, kit.now())
  return { bytes: response.body, body }
}
