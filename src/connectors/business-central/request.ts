import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { toSourceError } from './errors.ts'
import { readList } from './read.ts'
import { CompanyInformationRow, CompanyRow, EnvironmentRow, type SecretWire } from './wire.ts'

/** Path of a company: tenant and environment are part of every URL. */
export interface CompanyPath {
  tenantId: string
  environment: string
  companyId: string
}

export interface Company extends CompanyPath {
  name: string
}

export interface Answer {
  bytes: Uint8Array
  body: Json
}

const isEnvironment = Compile(EnvironmentRow)
const isCompany = Compile(CompanyRow)
const isCompanyInformation = Compile(CompanyInformationRow)

/**
 * Companies that the person has access to, over all environments. Sandboxes are copies for testing: they count only
 * when there is no production environment. An environment without access is left out. A copied company keeps its id and
 * is listed once, `preferred` first.
 * Source: https://learn.microsoft.com/en-us/dynamics365/business-central/dev-itpro/webservices/api-get-environments
 */
export async function listCompanies(kit: Kit, accessToken: string, preferred: string | null): Promise<Company[]> {
  const environments = await listEnvironments(kit, accessToken)
  const production = environments.filter((each) => each.type?.toLowerCase() !== 'sandbox')
  const wanted = production.length > 0 ? production : environments
  const ordered = wanted.toSorted((a, b) => Number(b.name === preferred) - Number(a.name === preferred))
  const companies = new Map<string, Company>()
  for (const { aadTenantId, name: environment } of ordered) {
    for (const company of await listOpenCompanies(kit, accessToken, { tenantId: aadTenantId, environment })) {
      if (!companies.has(company.companyId)) companies.set(company.companyId, company)
    }
  }
  return [...companies.values()]
}

async function listEnvironments(kit: Kit, accessToken: string) {
  const call = { accessToken, url: `${kit.hosts.api}/environments/v1.1`, what: 'the list of environments' }
  const { rows } = readList((await getAnswer(kit, call)).body)
  return rows.map((row) => {
    if (!isEnvironment.Check(row)) throw new SourceError('badData', 'Business Central answered an environment without a name')
    return row
  })
}

async function listOpenCompanies(kit: Kit, accessToken: string, place: Omit<CompanyPath, 'companyId'>): Promise<Company[]> {
  const url = `${environmentUrl(kit, place)}/companies`
  try {
    const { rows } = readList((await getAnswer(kit, { accessToken, url, what: 'the list of companies' })).body)
    return rows.map((row) => {
      if (!isCompany.Check(row)) throw new SourceError('badData', 'Business Central answered a company without an id')
      return { ...place, companyId: row.id, name: row.displayName || row.name || '' }
    })
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'reconnect') return []
    throw error
  }
}

/** Local currency, in which all amounts of the company are; null when the company information has none. */
export async function readCurrency(kit: Kit, secret: SecretWire): Promise<string | null> {
  const url = `${companyUrl(kit, secret)}/companyInformation?${new URLSearchParams({ $select: 'id,currencyCode' })}`
  const answer = await getAnswer(kit, { accessToken: secret.accessToken, url, what: 'the company information' })
  const [row] = readList(answer.body).rows
  if (row === undefined) return null
  if (!isCompanyInformation.Check(row)) throw new SourceError('badData', 'Business Central answered unreadable company information')
  return row.currencyCode ?? null
}

/** URL of a company's resources, without a trailing slash. */
export function companyUrl(kit: Kit, place: CompanyPath): string {
  return `${environmentUrl(kit, place)}/companies(${encodeURIComponent(place.companyId)})`
}

export function environmentUrl(kit: Kit, place: Omit<CompanyPath, 'companyId'>): string {
  return `${kit.hosts.api}/v2.0/${encodeURIComponent(place.tenantId)}/${encodeURIComponent(place.environment)}/api/v2.0`
}

interface Call {
  accessToken: string
  url: string
  what: string
  /** Rows per request. */
  rows?: number
}

/** Successful response; every other one throws. */
export async function getAnswer(kit: Kit, call: Call): Promise<Answer> {
  return await toAnswer(kit, call, await send(kit, call))
}

/** `getAnswer`, but null where the person lacks the permission. */
export async function findAnswer(kit: Kit, call: Call): Promise<Answer | null> {
  const response = await send(kit, call)
  return response.status === 403 ? null : await toAnswer(kit, call, response)
}

/** Reads use the read-only replica of the database, so the owner's work is not slowed down. */
async function send(kit: Kit, { accessToken, url, rows }: Call): Promise<HttpResponse> {
  return await kit.http({
    url,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${accessToken}`,
      'data-access-intent': 'ReadOnly',
      ...(rows === undefined ? {} : { prefer: `odata.maxpagesize=${rows}` }),
    },
  })
}

async function toAnswer(kit: Kit, { what }: Call, response: HttpResponse): Promise<Answer> {
  if (response.status !== 200) throw toSourceError(response, what, kit.now())
  return { bytes: response.body, body: await responseJson(response, what) }
}
