import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { flatMapInSlices } from '../../model/steps/slices.ts'
import type { Json } from '../../model/values/json.ts'
import type { Pull } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import { checkCompany } from './company.ts'
import { findTwoSided, GROUP_FIELDS } from './groups.ts'
import { readAccounts, toRows } from './read.ts'
import { openCalls, readSecret } from './request.ts'

const PAGE_SIZE = 500
/** Fields that only some versions have. */
const VERSION_FIELDS = ['note', 'debit_type', 'credit_type']

/** Page cursor: the page begins after this id. Ids only grow, so that a change during pagination skips no account. */
const Cursor = Type.Object({ after: Type.Integer(), fields: Type.Array(Type.String()) })

/** Chart of accounts, inactive accounts too, with the types that define each account. */
export const pullAccounts: Pull = {
  name: 'accounts',
  delivers: ['Accounts'],
  async fetch({ kit, credentials, entityId }, cursor) {
    const secret = readSecret(credentials)
    const calls = openCalls(kit, secret)
    const context = { company: secret.companyId, active_test: false }
    const known = Value.Check(Cursor, cursor) ? cursor : null
    if (known === null) await checkCompany(calls, secret, entityId)
    const extras = known?.fields ?? fieldNames((await calls.fetch('model.account.account.fields_get', [VERSION_FIELDS, context])).result)
    const accounts = await calls.fetch('model.account.account.search_read', [
      [
        ['company', '=', secret.companyId],
        ['id', '>', known?.after ?? 0],
      ],
      0,
      PAGE_SIZE,
      [['id', 'ASC']],
      ['code', 'name', 'type', 'parent', 'closed', 'active', 'start_date', 'end_date', 'currency.code', ...extras],
      context,
    ])
    const rows = await toRows(accounts.result, 'accounts')
    const types = await calls.fetch('model.account.account.type.search_read', [
      [['company', '=', secret.companyId]],
      0,
      null,
      [['id', 'ASC']],
      ['name', 'statement', 'assets', 'receivable', 'stock', 'payable', 'debt', 'revenue', 'expense', 'parent'],
      context,
    ])
    const twoFaced = await flatMapInSlices(rows, (row) => (row.debit_type != null || row.credit_type != null ? [row.id ?? null] : []))
    const balances = twoFaced.length === 0 ? null : await calls.fetch('model.account.account.read', [twoFaced, ['balance'], context])
    const twoSided = await findTwoSided(rows, await toRows(types.result, 'account types'))
    const groups = twoSided.length === 0 ? null : await calls.fetch('model.account.account.read', [twoSided, GROUP_FIELDS, context])
    await calls.close()
    const last = rows.at(-1)?.id
    const beside = { ...(balances && { balances: balances.body }), ...(groups && { groups: groups.body }) }
    return {
      answers: { accounts: accounts.body, types: types.body, ...beside },
      next: rows.length >= PAGE_SIZE && typeof last === 'number' ? { after: last, fields: extras } : null,
      listing: 'complete',
    }
  },
  read: readAccounts,
}

function fieldNames(result: Json): string[] {
  return isJsonObject(result) ? VERSION_FIELDS.filter((name) => name in result) : []
}
