import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { type Connector, type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/answers.ts'
import { checkByRefusedGrant } from '../toolkit/app-check.ts'
import { fetchAccounts } from './accounts.ts'
import { authorization, refreshCredentials, revoke } from './authorization.ts'
import type { DataCentre } from './data-centres.ts'
import { hasFault, toSourceError } from './errors.ts'
import { accountMapping, transactionMapping } from './map.ts'
import { readAccounts, readPostings } from './read.ts'
import { callBooks } from './request.ts'
import { fetchJournals } from './transactions.ts'
import { AccountWire, OrganizationsWire, type OrganizationWire, PostingWire } from './wire.ts'

const isOrganizations = Compile(OrganizationsWire)

export const zohoConnector: Connector = {
  authorize: authorization(listOrganizations),
  checkApp: checkByRefusedGrant(refreshCredentials, { accountsAt: 'us', apiAt: 'us' }),
  refreshCredentials,
  pulls: [
    { name: 'accounts', delivers: ['Accounts'], fetch: fetchAccounts, read: readAccounts },
    { name: 'journals', delivers: ['Transactions'], fetch: fetchJournals, read: readPostings },
  ],
  entities: {
    Accounts: { wire: AccountWire, map: accountMapping },
    Transactions: { wire: PostingWire, map: transactionMapping },
  },
  disconnect: revoke,
}

/** The organizations of the person, in Zoho's order. Source: https://www.zoho.com/books/api/v3/organizations/ */
async function listOrganizations(kit: Kit, accessToken: string, apiAt: DataCentre): Promise<OrganizationWire[]> {
  const what = 'the list of organizations'
  const response = await callBooks(kit, { accessToken, apiAt }, 'organizations', {})
  if (hasFault(response)) throw toSourceError(response, what, kit.now())
  const body: Json = responseJson(response, what)
  if (!isOrganizations.Check(body)) throw new SourceError('badData', 'Zoho answered no list of organizations')
  return body.organizations
}
