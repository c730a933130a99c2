import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { isHidden, toSourceError } from './errors.ts'
import { readList, wholeNumber } from './read.ts'
import { CountRow, CurrencyRow, type Features, type SecretWire, SubsidiaryRow } from './wire.ts'

/**
 * Maximum rows per response.
 * Source: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157909186990.html
 */
export const ROWS = 1_000

const isCurrency = Compile(CurrencyRow)
const isSubsidiary = Compile(SubsidiaryRow)
const isCount = Compile(CountRow)

/** Reads with SuiteQL; `what` names it in errors. */
export interface Query {
  sql: string
  offset?: number
  what: string
}

export interface Answer {
  bytes: Uint8Array
  body: Json
}

export async function getAnswer(kit: Kit, secret: SecretWire, query: Query): Promise<Answer> {
  return await toAnswer(kit, query, await send(kit, secret, query))
}

/** Like `getAnswer`, but null where the record or a field does not exist for this role. */
export async function findAnswer(kit: Kit, secret: SecretWire, query: Query): Promise<Answer | null> {
  const response = await send(kit, secret, query)
  return isHidden(response) ? null : await toAnswer(kit, query, response)
}

/** Features of the account, and its currencies. A feature that is off hides its records. */
export async function readFeatures(kit: Kit, secret: SecretWire): Promise<Features> {
  const currencies = await findAnswer(kit, secret, {
    sql: 'SELECT id, symbol, isbasecurrency FROM currency ORDER BY id',
    what: 'the query for currencies',
  })
  const subsidiaries = await findAnswer(kit, secret, {
    sql: 'SELECT id, currency, parent, name FROM subsidiary ORDER BY id',
    what: 'the query for subsidiaries',
  })
  const currencyRows = currencies ? readList(currencies.body).rows.filter((row) => isCurrency.Check(row)) : []
  const subsidiaryRows = subsidiaries ? readList(subsidiaries.body).rows.filter((row) => isSubsidiary.Check(row)) : null
  return {
    currencies: Object.fromEntries(currencyRows.map(({ id, symbol }) => [String(id), symbol])),
    base: currencyRows.find(({ isbasecurrency }) => isbasecurrency === 'T')?.symbol ?? null,
    hasCurrencies: currencies !== null,
    subsidiaries: subsidiaryRows && Object.fromEntries(subsidiaryRows.map(({ id, currency }) => [String(id), String(currency ?? '')])),
  }
}

/** Number of accounts visible to the role. */
export async function countAccounts(kit: Kit, secret: SecretWire): Promise<number> {
  const query = { sql: 'SELECT COUNT(*) AS accounts FROM account', what: 'the count of accounts' }
  const [row] = readList((await getAnswer(kit, secret, query)).body).rows
  const count = isCount.Check(row) ? wholeNumber(row.accounts) : null
  if (count === null) throw new SourceError('badData', 'NetSuite answered no count of accounts')
  return count
}

/** Name of the root subsidiary; null without OneWorld, where SuiteQL does not return the company's name. */
export async function findCompanyName(kit: Kit, secret: SecretWire): Promise<string | null> {
  const query = { sql: 'SELECT id, name FROM subsidiary WHERE parent IS NULL ORDER BY id', what: 'the query for the root subsidiary' }
  const answer = await findAnswer(kit, secret, query)
  const row = answer && readList(answer.body).rows[0]
  return isSubsidiary.Check(row) ? (row.name ?? null) : null
}

/** Address of one account's services: account ids are written in host names in lower case and with a hyphen. */
export function accountUrl(host: string, accountId: string): string {
  return host.replaceAll('{account}', accountId.toLowerCase().replaceAll('_', '-'))
}

async function send(kit: Kit, secret: SecretWire, { sql, offset = 0 }: Query): Promise<HttpResponse> {
  return await kit.http({
    method: 'POST',
    url: `${accountUrl(kit.hosts.account ?? '', secret.accountId)}/services/rest/query/v1/suiteql?limit=${ROWS}&offset=${offset}`,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      prefer: 'transient',
      authorization: `Bearer ${secret.accessToken}`,
    },
    body: JSON.stringify({ q: sql }),
  })
}

async function toAnswer(kit: Kit, { what }: Query, response: HttpResponse): Promise<Answer> {
  if (response.status !== 200) throw toSourceError(response, what, kit.now())
  return { bytes: response.body, body: await responseJson(response, what) }
}
