import { type Row, toCurrency } from '../data/chart.ts'
import { COMPANIES, LOGINS, type Login } from '../data/companies.ts'
import type { Ledger } from '../data/ledger.ts'
import { exceptions } from './exceptions.ts'

/** One model as seen by a user of one version. */
export interface Model {
  /** Fields in this version, besides `id`. */
  fields: ReadonlySet<string>
  rows: readonly Row[]
}

/** Account types that were models until version 15: `account_type` with its English name. */
const USER_TYPES: readonly (readonly [accountType: string, name: string, type: string])[] = [
  ['asset_receivable', 'Receivable', 'receivable'],
  ['asset_cash', 'Bank and Cash', 'liquidity'],
  ['asset_current', 'Current Assets', 'other'],
  ['asset_non_current', 'Non-current Assets', 'other'],
  ['asset_prepayments', 'Prepayments', 'other'],
  ['asset_fixed', 'Fixed Assets', 'other'],
  ['liability_payable', 'Payable', 'payable'],
  ['liability_credit_card', 'Credit Card', 'liquidity'],
  ['liability_current', 'Current Liabilities', 'other'],
  ['liability_non_current', 'Non-current Liabilities', 'other'],
  ['equity', 'Equity', 'other'],
  ['equity_unaffected', 'Current Year Earnings', 'other'],
  ['income', 'Income', 'other'],
  ['income_other', 'Other Income', 'other'],
  ['expense', 'Expenses', 'other'],
  ['expense_other', 'Expenses', 'other'],
  ['expense_depreciation', 'Depreciation', 'other'],
  ['expense_direct_cost', 'Cost of Revenue', 'other'],
  ['off_balance', 'Off-Balance Sheet', 'other'],
  ['asset_tokens', 'Jetons numériques', 'other'],
  ['wellness_pool', 'Wellness Pool', 'other'],
]

interface Scope {
  version: number
  login: Login
  context: Readonly<Record<string, unknown>>
  ledger: Ledger
  /** Offset in seconds of every company's creation date, which simulates a replaced database. */
  shiftSeconds: number
}

/** Throws if the model does not exist or the user may not read it. */
export function openModel(name: string, scope: Scope): Model {
  const { version, login, ledger } = scope
  if (name === 'res.users') {
    const user = { id: login.id, login: login.login, lang: login.lang || false, company_id: companyReference(login), email: login.login }
    return {
      fields: new Set(['login', 'lang', 'company_id', 'company_ids', 'email']),
      rows: [{ ...user, company_ids: [...login.companyIds] }],
    }
  }
  if (name === 'res.company') return openCompanies(scope)
  if (!name.startsWith('account.')) throw exceptions.noModel(name, version >= 19)
  if (!login.mayRead) throw exceptions.accessError(name)
  const companyIds = allowedCompanies(scope)
  switch (name) {
    case 'account.account':
      return { fields: accountFields(version), rows: accountRows(scope, companyIds) }
    case 'account.account.type':
      if (version > 15) throw exceptions.noModel(name, version >= 19)
      return { fields: new Set(['name', 'type', 'internal_group']), rows: USER_TYPES.map(toUserType) }
    case 'account.move':
      return { fields: moveFields(version), rows: companyIds.flatMap((id) => ledger.booksOf(id).moves) }
    case 'account.move.line':
      return {
        fields: new Set([
          ...['move_id', 'account_id', 'debit', 'credit', 'name', 'partner_id', 'company_currency_id', 'company_id', 'display_type'],
          'parent_state',
        ]),
        rows: companyIds.flatMap((id) => ledger.booksOf(id).lines),
      }
    default:
      throw exceptions.noModel(name, version >= 19)
  }
}

/** Ids of the company and its ancestors. */
export function parentsOf(companyId: number): number[] {
  const company = COMPANIES.find(({ id }) => id === companyId)
  return company ? [companyId, ...(company.parentId === null ? [] : parentsOf(company.parentId))] : []
}

/** The companies named by the context, which must be the user's; version 12 only has the current one. */
function allowedCompanies({ version, login, context }: Scope): number[] {
  if (version < 13) return [login.companyId]
  const asked = Array.isArray(context.allowed_company_ids) ? context.allowed_company_ids.map(Number) : [login.companyId]
  if (!asked.every((id) => login.companyIds.includes(id))) throw exceptions.companies()
  return asked
}

function openCompanies({ version, login, shiftSeconds }: Scope): Model {
  const visible = version < 13 ? [login.companyId] : login.companyIds
  const rows = COMPANIES.filter(({ id }) => visible.includes(id)).map((company) => ({
    id: company.id,
    name: company.name,
    create_date: new Date(Date.parse(`${company.createDate.replace(' ', 'T')}Z`) + shiftSeconds * 1000)
      .toISOString()
      .slice(0, 19)
      .replace('T', ' '),
    currency_id: toCurrency(company.currency),
    parent_id: company.parentId === null ? false : [company.parentId, ''],
  }))
  return { fields: new Set(['name', 'create_date', 'currency_id', 'parent_id']), rows }
}

function accountFields(version: number): Set<string> {
  return new Set([
    ...['code', 'name', 'currency_id', 'internal_group', 'reconcile', 'note', 'write_date', 'create_date'],
    version <= 15 ? 'user_type_id' : 'account_type',
    version <= 17 ? 'company_id' : 'company_ids',
    version <= 18 ? 'deprecated' : 'active',
    ...(version >= 15 ? ['non_trade'] : []),
    ...(version >= 18 ? ['description'] : []),
  ])
}

function accountRows({ version, ledger }: Scope, companyIds: readonly number[]): Row[] {
  const owners = [...new Set(companyIds.flatMap((id) => (version >= 17 ? parentsOf(id) : [id])))].sort((a, b) => a - b)
  const rows = owners.flatMap((id) => ledger.booksOf(id).accounts)
  if (version > 15) return rows
  return rows.map((row) => {
    const index = USER_TYPES.findIndex(([accountType]) => accountType === row.account_type)
    return { ...row, user_type_id: [index + 1, USER_TYPES[index]?.[1] ?? ''] }
  })
}

function moveFields(version: number): Set<string> {
  const kind = version >= 14 ? ['move_type'] : version === 13 ? ['type'] : []
  return new Set(['name', 'date', 'ref', 'state', 'journal_id', 'company_id', 'write_date', ...kind])
}

function toUserType([accountType, name, type]: (typeof USER_TYPES)[number], index: number): Row {
  return { id: index + 1, name, type, internal_group: accountType.split('_')[0] }
}

function companyReference({ companyId }: Login): [number, string] {
  return [companyId, COMPANIES.find(({ id }) => id === companyId)?.name ?? '']
}

export function findLogin(apiKey: string, revoked: readonly number[]): Login | null {
  return LOGINS.find((login) => login.apiKey === apiKey && !revoked.includes(login.id)) ?? null
}
