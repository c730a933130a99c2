import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import { type Answers, type Pull, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject } from '../toolkit/answers.ts'
import { checkCompany } from './company.ts'
import { findTwoSided, GROUP_FIELDS, toGroups } from './groups.ts'
import { openCalls, readSecret } from './request.ts'
import { TrytonDecimal, TypeWire } from './wire.ts'

const PAGE_SIZE = 500
/** Fields that only some versions have. */
const VERSION_FIELDS = ['note', 'debit_type', 'credit_type']

/** Where the next page begins: after this id. The id grows only, so that no page can slip under a change. */
const Cursor = Type.Object({ after: Type.Integer(), fields: Type.Array(Type.String()) })

/** The whole chart, inactive accounts too, with the types that give each account its meaning. */
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
    const rows = readRows(accounts.result, 'accounts')
    const types = await calls.fetch('model.account.account.type.search_read', [
      [['company', '=', secret.companyId]],
      0,
      null,
      [['id', 'ASC']],
      ['name', 'statement', 'assets', 'receivable', 'stock', 'payable', 'debt', 'revenue', 'expense', 'parent'],
      context,
    ])
    const twoFaced = rows.filter((row) => row.debit_type != null || row.credit_type != null).map((row) => row.id ?? null)
    const balances = twoFaced.length === 0 ? null : await calls.fetch('model.account.account.read', [twoFaced, ['balance'], context])
    const twoSided = findTwoSided(rows, readRows(types.result, 'account types'))
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
  *read(answers): Iterable<SourceItem> {
    const types = readTypes(answers)
    const balances = readBalances(answers)
    const groups = answers.groups ? toGroups(readRows(resultOf(answers, 'groups'), 'account groups')) : new Map<Json, string[]>()
    for (const row of readRows(resultOf(answers, 'accounts'), 'accounts')) {
      const id = row.id
      if (typeof id !== 'number') {
        yield { entity: 'Accounts', origId: null, unreadable: 'an account without an id' }
        continue
      }
      const above = groups.get(id)
      const wire = { ...row, typePath: toTypePath(types, countingType(row, balances.get(id))), ...(above && { groups: above }) }
      yield { entity: 'Accounts', origId: String(id), wire }
    }
  },
}

/** An account may count as another type while it stands in debit, or in credit (a bank account in the red is a debt). */
function countingType(row: { [key: string]: Json }, balance: string | undefined): Json {
  const isCredit = balance?.startsWith('-') ?? false
  const isDebit = balance !== undefined && !isCredit && /[1-9]/.test(balance)
  const other = isDebit ? row.debit_type : isCredit ? row.credit_type : null
  return other ?? row.type ?? null
}

function toTypePath(types: ReadonlyMap<number, TypeWire>, start: Json): TypeWire[] {
  const path: TypeWire[] = []
  for (let id = start; typeof id === 'number'; ) {
    const type = types.get(id)
    if (type === undefined || path.includes(type)) break
    path.push(type)
    id = type.parent
  }
  return path
}

function readTypes(answers: Answers): Map<number, TypeWire> {
  const types = new Map<number, TypeWire>()
  for (const row of readRows(resultOf(answers, 'types'), 'account types')) {
    if (!Value.Check(TypeWire, row)) throw new SourceError('badData', 'Tryton: an account type has an unknown shape')
    types.set(row.id, row)
  }
  return types
}

function readBalances(answers: Answers): Map<Json, string> {
  if (!answers.balances) return new Map()
  const rows = readRows(resultOf(answers, 'balances'), 'balances')
  return new Map(rows.flatMap(({ id, balance }) => (Value.Check(TrytonDecimal, balance) ? [[id ?? null, balance.decimal] as const] : [])))
}

function fieldNames(result: Json): string[] {
  return isJsonObject(result) ? VERSION_FIELDS.filter((name) => name in result) : []
}

/** The result of a stored answer; `badData` when it holds none. */
export function resultOf(answers: Answers, name: string): Json {
  const answer = answerJson(answers, name)
  if (!isJsonObject(answer) || answer.result === undefined)
    throw new SourceError('badData', `Tryton: the stored answer "${name}" has no result`)
  return answer.result
}

export function readRows(result: Json, what: string): { [key: string]: Json }[] {
  if (!Array.isArray(result) || !result.every(isJsonObject)) throw new SourceError('badData', `Tryton: the ${what} are no list of records`)
  return result
}
