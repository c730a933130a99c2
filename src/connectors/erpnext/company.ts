import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import { SourceError } from '../contract/contract.ts'
import type { ErpnextCalls, ErpnextSecret } from './request.ts'

const CompanyRow = Type.Object({
  /** Company name, which is the id; it may be changed. */
  name: Type.String(),
  abbr: Type.String(),
  /** `2022-01-03 08:00:00.123456`, in the site's time zone; compared only with itself. */
  creation: Type.String(),
  default_currency: Type.Union([Type.String(), Type.Null()]),
})
export type CompanyRow = Static<typeof CompanyRow>

const CompanyRows = Type.Array(CompanyRow)

/** Companies that the user may see and that the filters match, with the response as received. */
export async function listCompanies(calls: ErpnextCalls, filters: Json[]): Promise<{ body: Uint8Array; companies: CompanyRow[] }> {
  const { body, rows } = await calls.list('Company', { fields: ['name', 'abbr', 'creation', 'default_currency'], filters, limit: 0 })
  if (!Value.Check(CompanyRows, rows)) throw new SourceError('badData', 'ERPNext: the companies have an unknown shape')
  return { body, companies: rows }
}

/** Entity id `abbreviation/instant of creation`: neither ever changes, so it survives a change of name or address. */
export function toEntityId({ abbr, creation }: CompanyRow): string {
  return `${abbr}/${creation}`
}

/**
 * Connected company under its present name. Throws `reconnect` when it was deleted, hidden, or replaced by another one.
 */
export async function readCompany(
  calls: ErpnextCalls,
  secret: ErpnextSecret,
  entityId: string,
): Promise<{ body: Uint8Array; name: string }> {
  const { body, companies } = await listCompanies(calls, [['abbr', '=', secret.abbreviation]])
  const company = companies.find(({ abbr }) => abbr === secret.abbreviation)
  if (!company) throw new SourceError('reconnect', 'ERPNext: the company does not exist any more or is hidden from the user')
  if (toEntityId(company) !== entityId) {
    throw new SourceError('reconnect', 'ERPNext: the site holds another company than the one that was connected', { reason: 'otherEntity' })
  }
  return { body, name: company.name }
}
