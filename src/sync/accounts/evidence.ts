import type { Sources } from '../../connectors/sources.ts'
import { readFields } from '../../model/records/document-fields.ts'
import type { Db } from '../../store/db/database.ts'
import type { CompanyScope } from '../../store/records/account-matches.ts'
import { type CompanyAccountRow, listNewestMovements } from '../../store/records/company-accounts.ts'
import { type DirectoryEntry, findInstitution, listInstitutionsByRoutingNumber } from '../../store/sources/institutions.ts'
import { findService } from '../sources/catalogue.ts'
import { type BankIdentity, isBankNumber, toSite, UNKNOWN_BANK } from './bank-identity.ts'
import type { Movement, Movements } from './compare-movements.ts'
import type { CompanyAccount } from './match-company.ts'

/** Maximum number of newest transactions compared per service: years of a small business. */
const MAX_MOVEMENTS = 10_000
const DAY_MS = 86_400_000

/** Account with the id that the transactions of its service use for it. */
export type NamedAccount = CompanyAccount & { origId: string }

/** Evidence from the published document of an account, without full numbers and transactions. */
export function toEvidence(row: Pick<CompanyAccountRow, 'id' | 'serviceId' | 'doc'>, bank: BankIdentity): NamedAccount {
  const fields = readTexts(row.doc)
  const text = (name: string): string => fields.get(name) ?? ''
  const balanceAt = Date.parse(text('actualBalanceDate'))
  return {
    id: row.id,
    serviceId: row.serviceId,
    origId: text('origId'),
    bank: withName(bank, text('providerName')),
    ending: text('accountNumber').replace(/[^0-9A-Za-z]/g, ''),
    numbers: [],
    currency: text('currency'),
    type: text('typeSystem'),
    subType: text('subTypeSystem'),
    balance: fields.get('actualBalance') ?? null,
    balanceAt: Number.isNaN(balanceAt) ? null : balanceAt,
    movements: null,
  }
}

/** Text and number properties of a document, as texts. */
export function readTexts(doc: string): Map<string, string> {
  return new Map([...readFields(doc)].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : [])))
}

/** Adds the source's name of the bank, or its number if the source gives no more. */
export function withName(bank: BankIdentity, name: string): BankIdentity {
  if (name === '') return bank
  return isBankNumber(name) ? { ...bank, routingNumbers: [...bank.routingNumbers, name] } : { ...bank, names: [...bank.names, name] }
}

/** Entry of the source's directory for the bank of a service; nothing for a source that is not a bank. */
export async function findBank(db: Db, sources: Sources, instanceId: string, serviceId: string): Promise<BankIdentity> {
  const service = await findService(db, sources, instanceId, serviceId)
  if (!service?.institutionId) return UNKNOWN_BANK
  const bank = toBank(await findInstitution(db, service.source.description.key, service.institutionId))
  return { ...bank, names: [...new Set([service.name, ...bank.names])] }
}

/** Bank in a directory; null if there is none. */
export function toBank(entry: DirectoryEntry | null): BankIdentity {
  return entry ? { names: [entry.name], routingNumbers: entry.routingNumbers, site: toSite(entry.url) } : UNKNOWN_BANK
}

/** Bank identified in a file only by its number, with the names that any directory of the deployment has for it. */
export async function withDirectoryNames(db: Db, bank: BankIdentity): Promise<BankIdentity> {
  if (bank.names.length > 0 || bank.routingNumbers.length === 0) return bank
  const entries = await listInstitutionsByRoutingNumber(db, bank.routingNumbers)
  return { ...bank, names: [...new Set(entries.map(({ name }) => name))] }
}

/** Transactions of a service by account. If there are more than the maximum, the oldest day may be incomplete. */
export async function listMovements(db: Db, company: CompanyScope, serviceId: string): Promise<Map<string, Movements>> {
  const rows = await listNewestMovements(db, { ...company, serviceId }, MAX_MOVEMENTS)
  const oldest = rows.length < MAX_MOVEMENTS ? Number.NEGATIVE_INFINITY : toDayNumber(rows.at(-1)?.day ?? '') + 1
  const lists = new Map<string, Movement[]>()
  for (const { accountOrigId, day, amount, text } of rows) {
    const list = lists.get(accountOrigId) ?? []
    list.push({ day: toDayNumber(day), amount, text })
    lists.set(accountOrigId, list)
  }
  return new Map([...lists].map(([account, list]) => [account, toMovements(list, oldest)]))
}

/** Transactions of an account with the period they cover, which begins at `oldest` at the earliest. */
export function toMovements(list: readonly Movement[], oldest = Number.NEGATIVE_INFINITY): Movements {
  const days = list.map(({ day }) => day)
  const from = days.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  return { from: Math.max(oldest, from), until: days.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY), list }
}

/** Days since 1970-01-01. */
export function toDayNumber(day: string): number {
  return Math.floor(Date.parse(day) / DAY_MS)
}
