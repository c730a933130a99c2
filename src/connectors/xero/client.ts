import { Compile } from 'typebox/compile'
import { type Connector, type HttpResponse, type Kit, type Page, type Session, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/answers.ts'
import { checkByRefusedGrant } from '../toolkit/app-check.ts'
import { authorization, refreshCredentials, secretOf } from './authorization.ts'
import { disconnect, listConnections } from './connections.ts'
import { toSourceError } from './errors.ts'
import { accountMapping, transactionMapping } from './map.ts'
import { BASE, listRows, readAccounts, readPostings } from './read.ts'
import { fetchPostings } from './transactions.ts'
import { readWebhook } from './webhook.ts'
import { AccountWire, OrganisationsWire, PostingWire } from './wire.ts'

/** The whole chart comes in one answer, about 500 bytes an account. */
const CHART_BYTES = 20 * 1024 * 1024

const isOrganisations = Compile(OrganisationsWire)

export const xeroConnector: Connector = {
  authorize: authorization(listConnections),
  checkApp: checkByRefusedGrant(refreshCredentials, { connectionId: '' }),
  refreshCredentials,
  pulls: [
    { name: 'accounts', delivers: ['Accounts'], fetch: fetchAccounts, read: readAccounts },
    {
      name: 'journals',
      delivers: ['Transactions'],
      fetch: (session, cursor) => fetchPostings(session, cursor, { get, readBase }),
      read: readPostings,
    },
  ],
  entities: {
    Accounts: { wire: AccountWire, map: accountMapping },
    Transactions: { wire: PostingWire, map: transactionMapping },
  },
  disconnect,
  readWebhook,
}

/**
 * Every account, archived ones too: this list has no pages. Asking for changes only would save nothing but bytes and hide deletions.
 * Source: https://developer.xero.com/documentation/api/accounting/accounts
 */
async function fetchAccounts(session: Session): Promise<Page> {
  const base = await readBase(session)
  const response = await get(session, 'Accounts', {}, CHART_BYTES)
  if (response.status !== 200) throw toSourceError(response, 'the list of accounts', session.kit.now())
  listRows(responseJson(response, 'the list of accounts'), 'Accounts')
  return { answers: { [BASE]: base, Accounts: response.body }, next: null, listing: 'complete' }
}

/** NOTE Only the currency of the answer is kept: beside it stand telephone numbers, addresses and a key for exchanges between organisations. */
async function readBase(session: Session): Promise<Uint8Array> {
  const what = 'the organisation'
  const response = await get(session, 'Organisation', {})
  if (response.status !== 200) throw toSourceError(response, what, session.kit.now())
  const body = responseJson(response, what)
  if (!isOrganisations.Check(body)) throw new SourceError('badData', 'Xero answered without an organisation')
  return new TextEncoder().encode(JSON.stringify({ BaseCurrency: body.Organisations[0]?.BaseCurrency ?? null }))
}

/** An answer of any status. XML would come without `accept`. */
async function get(
  session: { kit: Kit } & Pick<Session, 'credentials' | 'entityId'>,
  resource: string,
  query: Record<string, string>,
  maxBytes?: number,
): Promise<HttpResponse> {
  const parameters = new URLSearchParams(query)
  return await session.kit.http({
    url: `${session.kit.hosts.api}/api.xro/2.0/${resource}${parameters.size > 0 ? `?${parameters}` : ''}`,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${secretOf(session.credentials).accessToken}`,
      'xero-tenant-id': session.entityId,
    },
    ...(maxBytes === undefined ? {} : { maxBytes }),
  })
}
