import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import { type Kit, type Pull, SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import { readCompany, toContext } from './company.ts'
import { nextCursor, toRows } from './paging.ts'
import { readAccounts } from './read.ts'
import { askVersion, type OdooCalls, openCalls, readSecret } from './request.ts'

const PAGE_SIZE = 1000
/** Fields that only some versions have. */
const VERSION_FIELDS = [
  ...['account_type', 'internal_group', 'user_type_id', 'active', 'deprecated', 'currency_id', 'note', 'description', 'non_trade'],
  ...['company_id', 'company_ids', 'write_date'],
]
/** Branches, which share the accounts of their parents, came with 17. */
const FIRST_WITH_BRANCHES = 17

const Cursor = Type.Object({
  after: Type.Integer(),
  repeats: Type.Integer(),
  major: Type.Integer(),
  fields: Type.Array(Type.String()),
})

/**
 * Chart of accounts, archived accounts too, with the currency of the company and, until 15, the types that define the
 * accounts.
 */
export const pullAccounts: Pull = {
  name: 'accounts',
  delivers: ['Accounts'],
  async fetch({ kit, credentials, entityId }, given) {
    const secret = readSecret(credentials)
    const known = Value.Check(Cursor, given) ? given : null
    const major = known?.major ?? (await requireVersion(kit, secret.address))
    const calls = openCalls(kit, secret, major)
    const context = toContext(secret)
    const company = await readCompany(calls, secret, entityId)
    const fields = known?.fields ?? (await listFields(calls, 'account.account', VERSION_FIELDS))
    const place = known ?? { after: 0, repeats: 0 }
    const accounts = await calls.call('account.account', 'search_read', {
      domain: [companyClause(secret.companyId, fields, major), ['id', '>', place.after]],
      fields: ['code', 'name', ...fields.filter((name) => !name.startsWith('company_'))],
      order: 'id asc',
      limit: PAGE_SIZE,
      context,
    })
    const types = fields.includes('user_type_id')
      ? await calls.call('account.account.type', 'search_read', {
          domain: [],
          fields: ['name', 'type', ...(await listFields(calls, 'account.account.type', ['internal_group']))],
          // The mapping uses the English words.
          context: { lang: 'en_US' },
        })
      : null
    const next = await nextCursor(place, await toRows(accounts.result, 'accounts'), PAGE_SIZE)
    return {
      answers: { accounts: accounts.body, company, ...(types === null ? {} : { types: types.body }) },
      next: next === null ? null : { ...next, major, fields },
      listing: 'complete',
    }
  },
  read: readAccounts,
}

export async function requireVersion(kit: Kit, address: string): Promise<number> {
  const major = await askVersion(kit, address)
  if (major === null) throw new SourceError('unavailable', 'Odoo: something else answers at its address')
  return major
}

/** Requested fields that this version has. */
export async function listFields(calls: OdooCalls, model: string, wanted: readonly string[]): Promise<string[]> {
  const { result } = await calls.call(model, 'fields_get', { allfields: [...wanted], attributes: ['type'] })
  if (!isJsonObject(result)) throw new SourceError('badData', `Odoo: the fields of ${model} are no record`)
  return wanted.filter((name) => name in result)
}

/** Since 18 an account may belong to several companies; a branch uses those of the companies above it. */
function companyClause(companyId: number, fields: readonly string[], major: number): Json {
  const field = fields.includes('company_ids') ? 'company_ids' : 'company_id'
  return major >= FIRST_WITH_BRANCHES ? [field, 'parent_of', [companyId]] : [field, '=', companyId]
}
