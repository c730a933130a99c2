import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { add, type Decimal, toDecimal } from '../../model/values/decimal.ts'
import type { Json } from '../../model/values/json.ts'
import type { Db } from '../../store/db/database.ts'
import { type CompanyScope, listAccountMatches } from '../../store/records/account-matches.ts'
import { type CompanyAccountRow, listBankAccountsOfCompany } from '../../store/records/company-accounts.ts'
import { readTexts } from './evidence.ts'
import { groupAccounts } from './match-company.ts'
import type { Reason } from './same-account.ts'

/** Bank account of a company at one service, with the same account at other services. */
export interface CompanyAccountView extends CompanyAccountRow {
  /** Non-null properties of the document, as texts. */
  fields: ReadonlyMap<string, string>
  sameAs: SameAccount[]
  /** Whether the totals include it: one account of each group, and no closed account. */
  isCounted: boolean
}

export interface SameAccount {
  id: string
  serviceId: string
  /** Empty if the two are linked only through a third account. */
  reasons: readonly Reason[]
}

/** Sum of the included accounts in one currency. */
export interface CurrencyTotal {
  currency: string
  accounts: number
  /** Number of these accounts whose balance is unknown. */
  withoutBalance: number
  assets: Decimal
  debts: Decimal
}

/**
 * Bank accounts of a company at all services, as published now or at `asOf`. Links between them always reflect current
 * knowledge.
 */
export async function readCompanyAccounts(db: Db, company: CompanyScope, asOf: Date | null): Promise<CompanyAccountView[]> {
  const rows = await listBankAccountsOfCompany(db, company, asOf)
  const views = rows.map((row): CompanyAccountView => ({ ...row, fields: readTexts(row.doc), sameAs: [], isCounted: false }))
  const byId = new Map(views.map((view) => [view.id, view]))
  const reasonsOf = new Map<string, readonly Reason[]>()
  const pairs: [CompanyAccountView, CompanyAccountView][] = []
  for (const { accountId, otherAccountId, reasons } of await listAccountMatches(db, company)) {
    const [one, other] = [byId.get(accountId), byId.get(otherAccountId)]
    if (!one || !other) continue
    pairs.push([one, other])
    reasonsOf.set(`${accountId}/${otherAccountId}`, readReasons(reasons))
  }
  const groups = groupAccounts(pairs)
  for (const group of groups) {
    for (const view of group) view.sameAs = [...group].filter((other) => other !== view).map((other) => toSame(view, other, reasonsOf))
  }
  const grouped = new Set(groups.flatMap((group) => [...group]))
  for (const group of [...groups.map((each) => [...each]), ...views.filter((view) => !grouped.has(view)).map((view) => [view])]) {
    const [first] = group.toSorted(byBalance)
    if (first) first.isCounted = !ENDED.has(first.fields.get('accountStatusSystem') ?? '')
  }
  return views
}

const ENDED: ReadonlySet<string> = new Set(['CLOSED', 'DELETED'])

function toSame(view: CompanyAccountView, other: CompanyAccountView, reasonsOf: ReadonlyMap<string, readonly Reason[]>): SameAccount {
  const reasons = reasonsOf.get(`${view.id}/${other.id}`) ?? reasonsOf.get(`${other.id}/${view.id}`) ?? []
  return { id: other.id, serviceId: other.serviceId, reasons }
}

/** Newest balance first; accounts without a balance last. */
function byBalance(a: CompanyAccountView, b: CompanyAccountView): number {
  const [at, other] = [balanceTime(a), balanceTime(b)]
  return at === other ? (a.id < b.id ? -1 : 1) : other - at
}

function balanceTime({ fields }: CompanyAccountView): number {
  const at = Date.parse(fields.get('actualBalanceDate') ?? '')
  return fields.has('actualBalance') ? (Number.isNaN(at) ? 0 : at) : Number.NEGATIVE_INFINITY
}

/** Totals of the included accounts, ordered by currency. Money owed counts as debt, also when a balance is negative. */
export function totalsOf(accounts: readonly CompanyAccountView[]): CurrencyTotal[] {
  const byCurrency = Map.groupBy(
    accounts.filter(({ isCounted }) => isCounted),
    ({ fields }) => fields.get('currency') ?? '',
  )
  return [...byCurrency]
    .map(([currency, list]): CurrencyTotal => {
      const balances = list.flatMap((account) => {
        const balance = toDecimal(account.fields.get('actualBalance'))
        return balance === null ? [] : [{ balance, isDebt: isDebt(account) }]
      })
      const sum = (debts: boolean) => add(...balances.filter(({ isDebt: of }) => of === debts).map(({ balance }) => balance))
      return { currency, accounts: list.length, withoutBalance: list.length - balances.length, assets: sum(false), debts: sum(true) }
    })
    .sort((a, b) => (a.currency < b.currency ? -1 : 1))
}

function isDebt({ fields }: CompanyAccountView): boolean {
  const type = fields.get('typeSystem')
  return type === 'CreditCards' || type === 'Loans' || DEBTS.has(fields.get('subTypeSystem') ?? '')
}

const DEBTS: ReadonlySet<string> = new Set(['OtherLiability', 'Bill'])

const StoredReason = Type.Object({
  code: Type.Enum(['sameNumber', 'sameEnding', 'sameBank', 'sameBalance', 'sameTransactions']),
  overlap: Type.Optional(Type.Object({ matched: Type.Integer(), fewer: Type.Integer(), from: Type.Integer(), until: Type.Integer() })),
})

/** Reasons unknown to this version are omitted. */
function readReasons(stored: Json): Reason[] {
  return Array.isArray(stored) ? stored.filter((each) => Check(StoredReason, each)) : []
}
