import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import { SourceError } from '../contract/contract.ts'
import type { OdooCalls, OdooSecret } from './request.ts'

const CompanyRow = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  /** `2022-01-03 08:00:00`, UTC. */
  create_date: Type.Union([Type.String(), Type.Literal(false)]),
  currency_id: Type.Union([Type.Tuple([Type.Integer(), Type.String()]), Type.Literal(false)]),
})
export type CompanyRow = Static<typeof CompanyRow>

const CompanyRows = Type.Array(CompanyRow)

/**
 * Context of every call about one company: archived records too, names in the user's language, codes of this company.
 */
export function toContext({ companyId, language }: Pick<OdooSecret, 'companyId' | 'language'>): { [name: string]: Json } {
  return { active_test: false, allowed_company_ids: [companyId], ...(language === '' ? {} : { lang: language }) }
}

/** Companies with these ids that the user may see, by id, with the response as received. */
export async function listCompanies(calls: OdooCalls, ids: readonly number[]): Promise<{ body: Uint8Array; companies: CompanyRow[] }> {
  const { body, result } = await calls.call('res.company', 'search_read', {
    domain: [['id', 'in', [...ids]]],
    fields: ['name', 'create_date', 'currency_id'],
    order: 'id asc',
    context: { allowed_company_ids: [...ids] },
  })
  if (!Value.Check(CompanyRows, result)) throw new SourceError('badData', 'Odoo: the companies are no list of records')
  return { body, companies: result }
}

/** Entity id `database/company/instant of creation`: survives a change of address and reveals a replaced database. */
export function toEntityId(database: string, company: CompanyRow): string {
  return [database, String(company.id), ...(company.create_date === false ? [] : [company.create_date])].join('/')
}

/**
 * Current record of the connected company, as received. Throws `reconnect` when it was deleted, hidden, or replaced by
 * another one.
 */
export async function readCompany(calls: OdooCalls, secret: OdooSecret, entityId: string): Promise<Uint8Array> {
  const { body, companies } = await listCompanies(calls, [secret.companyId])
  const [company] = companies
  if (!company) throw new SourceError('reconnect', 'Odoo: the company does not exist any more or is hidden from the user')
  if (toEntityId(secret.database, company) !== entityId) {
    throw new SourceError('reconnect', 'Odoo: the database holds another company than the one that was connected', {
      reason: 'otherEntity',
    })
  }
  return body
}
