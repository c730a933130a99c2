import { inTransaction } from '../../store/db/database.ts'
import { type CompanyScope, replaceAccountMatches, type StoredMatch } from '../../store/records/account-matches.ts'
import { listBankAccountsOfCompany } from '../../store/records/company-accounts.ts'
import type { Catalogue, Store, Vault } from '../context/groups.ts'
import { type BankIdentity, UNKNOWN_BANK } from './bank-identity.ts'
import { findBank, listMovements, type NamedAccount, toEvidence, withDirectoryNames } from './evidence.ts'
import { FullNumbers } from './full-numbers.ts'
import { type AccountMatch, listCandidates, matchCompany } from './match-company.ts'
import type { Reason } from './same-account.ts'

/**
 * Matching job: finds bank accounts of a company that are the same account at several services, and stores the pairs.
 * Calls no source. Safe to kill and repeat: it replaces earlier results.
 */
export async function matchAccounts(deps: Store & Vault & Catalogue, company: CompanyScope): Promise<void> {
  const matches = await matchCompany(await loadEvidence(deps, company))
  await inTransaction(deps.database, (db) => replaceAccountMatches(db, company, matches.map(toStored)))
}

async function loadEvidence(deps: Store & Vault & Catalogue, company: CompanyScope): Promise<NamedAccount[]> {
  const db = deps.database
  const rows = await listBankAccountsOfCompany(db, company, null)
  const services = [...new Set(rows.map(({ serviceId }) => serviceId))]
  // Usual case: a company with one bank.
  if (services.length < 2) return []
  const banks = new Map<string, BankIdentity>()
  for (const id of services) banks.set(id, await findBank(db, deps.sources, company.instanceId, id))
  const accounts = rows.map((row) => ({ row, account: toEvidence(row, banks.get(row.serviceId) ?? UNKNOWN_BANK) }))
  const candidates = new Set(listCandidates(accounts.map(({ account }) => account)).flat())
  const inQuestion = accounts.filter(({ account }) => candidates.has(account))
  const numbers = new FullNumbers(deps, company)
  for (const { row, account } of inQuestion) {
    account.numbers = await numbers.of(row)
    account.bank = await withDirectoryNames(db, account.bank)
  }
  for (const id of services) {
    const ofService = inQuestion.filter(({ account }) => account.serviceId === id)
    const movements = ofService.length === 0 ? null : await listMovements(db, company, id)
    for (const { account } of ofService) account.movements = movements?.get(account.origId) ?? null
  }
  return inQuestion.map(({ account }) => account)
}

function toStored({ one, other, reasons }: AccountMatch): StoredMatch {
  return {
    accountId: one.id,
    serviceId: one.serviceId,
    otherAccountId: other.id,
    otherServiceId: other.serviceId,
    reasons: reasons.map(toJson),
  }
}

function toJson({ code, overlap }: Reason) {
  return { code, ...(overlap ? { overlap: { ...overlap } } : {}) }
}
