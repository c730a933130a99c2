import type { Sources } from '../../connectors/sources.ts'
import { toChildServiceId } from '../../model/catalogue.ts'
import { listCompanyBanks } from '../../store/connections/company-banks.ts'
import type { Db } from '../../store/db/database.ts'
import type { CompanyScope } from '../../store/records/account-matches.ts'
import { listBankAccountsOfCompany } from '../../store/records/company-accounts.ts'
import { findInstitution } from '../../store/sources/institutions.ts'
import { findService, type Service } from '../sources/catalogue.ts'
import { type BankIdentity, compareBanks, UNKNOWN_BANK } from './bank-identity.ts'
import type { CompanyAccountView } from './company-accounts.ts'
import { findBank, readTexts, toBank, withDirectoryNames, withName } from './evidence.ts'

/** Connection of a company with its bank. */
export interface HeldBank {
  connectionId: string
  serviceId: string
  serviceName: string
  /** Aggregator through which it is reached; null for a direct source. */
  parentName: string | null
  connectedAt: Date
  /** Several for files, which may come from any bank. */
  banks: readonly BankIdentity[]
}

/** Current account of a company, with the texts of its document. */
type KnownAccount = Pick<CompanyAccountView, 'serviceId' | 'fields'>

/**
 * Active bank connections of a company with their banks. `known` are the company's current accounts, for a caller that
 * has them already.
 */
export async function listHeldBanks(
  db: Db,
  sources: Sources,
  company: CompanyScope,
  known: readonly KnownAccount[] | null = null,
): Promise<HeldBank[]> {
  const connections = await listCompanyBanks(db, company)
  // With fewer than two connections, no bank can be connected twice.
  if (connections.length === 0) return []
  const accounts = Map.groupBy(known ?? (await listCurrentAccounts(db, company)), ({ serviceId }) => serviceId)
  const held: HeldBank[] = []
  for (const { id, serviceId, entityName, createdAt } of connections) {
    const service = await findService(db, sources, company.instanceId, serviceId)
    if (!service) continue
    const ofDirectory = await findBank(db, sources, company.instanceId, serviceId)
    const names = new Set((accounts.get(serviceId) ?? []).map(({ fields }) => fields.get('providerName') ?? ''))
    const named: BankIdentity[] = []
    for (const name of names) if (name !== '') named.push(await withDirectoryNames(db, withName(ofDirectory, name)))
    const isFiles = service.source.description.link === 'upload'
    const fallback = ofDirectory.names.length > 0 ? [ofDirectory] : isFiles ? [] : [withName(UNKNOWN_BANK, entityName)]
    held.push({
      connectionId: id,
      serviceId,
      serviceName: service.name,
      parentName: service.parentName,
      connectedAt: createdAt,
      banks: named.length > 0 ? named : fallback,
    })
  }
  return held
}

async function listCurrentAccounts(db: Db, company: CompanyScope): Promise<KnownAccount[]> {
  const rows = await listBankAccountsOfCompany(db, company, null)
  return rows.map(({ serviceId, doc }) => ({ serviceId, fields: readTexts(doc) }))
}

/**
 * Connections of a company that already have the bank about to be connected (the one chosen in the directory, or the
 * service's own). Empty if the bank is known only afterwards, and for a reconnect.
 */
export async function findHolders(
  db: Db,
  sources: Sources,
  company: CompanyScope,
  { service, institutionId }: { service: Service; institutionId: string | null },
): Promise<HeldBank[]> {
  const { key, category, hasInstitutions, link } = service.source.description
  if (category !== 'Banking' || link === 'upload' || (hasInstitutions && institutionId === null)) return []
  const serviceId = institutionId === null ? service.id : toChildServiceId(company.instanceId, key, institutionId)
  const bank = institutionId === null ? withName(UNKNOWN_BANK, service.name) : toBank(await findInstitution(db, key, institutionId))
  const held = await listHeldBanks(db, sources, company)
  return held.filter((one) => one.serviceId !== serviceId && one.banks.some((other) => compareBanks(other, bank) === 'same'))
}

/** Groups of connections of a company to the same bank, each with the name of the bank. */
export function groupByBank(held: readonly HeldBank[]): { bank: string; connections: HeldBank[] }[] {
  const groups: { bank: BankIdentity; connections: HeldBank[] }[] = []
  for (const connection of held) {
    for (const bank of connection.banks) {
      const group = groups.find((one) => compareBanks(one.bank, bank) === 'same')
      if (!group) groups.push({ bank, connections: [connection] })
      else if (!group.connections.includes(connection)) group.connections.push(connection)
    }
  }
  return groups
    .filter(({ connections }) => connections.length > 1)
    .map(({ bank, connections }) => ({ bank: bank.names[0] ?? '', connections }))
}
