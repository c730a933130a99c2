import type { SourceItem } from '../../connectors/contract/contract.ts'
import type { Entity } from '../../model/catalogue.ts'
import type { Db } from '../../store/db/database.ts'
import { findAliases, listAccountAliases, type RecordAlias } from '../../store/records/record-aliases.ts'
import type { RecordScope } from '../../store/records/records.ts'
import type { Aliases, NormalizeScope } from './normalize.ts'

/** Reads the records of a page, fetched or stored, from its beginning. */
type ReadPage = () => AsyncIterable<Iterable<SourceItem>> | Iterable<Iterable<SourceItem>>

/**
 * Aliases needed to normalize one page. Undefined when no account was ever given another id, which costs one query and
 * does not read the page.
 */
export async function loadAliases(db: Db, scope: RecordScope, read: ReadPage): Promise<Aliases | undefined> {
  const accounts = await listAccountAliases(db, scope)
  if (accounts.length === 0) return undefined
  const listed: Record<Entity, Set<string>> = { Accounts: new Set(), Transactions: new Set() }
  for await (const items of read()) {
    for (const { entity, origId } of items) if (origId !== null) listed[entity].add(origId)
  }
  const transactions = listed.Transactions.size === 0 ? [] : await findAliases(db, scope, 'Transactions', [...listed.Transactions])
  const byName: Record<Entity, Map<string, RecordAlias>> = {
    Accounts: toMap(accounts, listed.Accounts),
    Transactions: toMap(transactions, listed.Transactions),
  }
  return (entity, origId) => byName[entity].get(origId)
}

/** Scope in which the records of a connection's page are normalized, with the aliases that they need. */
export async function openPageScope(
  db: Db,
  { instanceId, companyId, serviceId, category }: RecordScope & Pick<NormalizeScope, 'category'>,
  page: Pick<NormalizeScope, 'serviceName' | 'fetchedAt'>,
  read: ReadPage,
): Promise<NormalizeScope & RecordScope> {
  const scope = { instanceId, companyId, serviceId }
  const aliases = await loadAliases(db, scope, read)
  return { ...scope, category, ...page, ...(aliases ? { aliases } : {}) }
}

/** A source that lists both ids has two records after all. */
function toMap(aliases: RecordAlias[], listed: ReadonlySet<string>): Map<string, RecordAlias> {
  return new Map(aliases.filter((alias) => !listed.has(alias.keptOrigId)).map((alias) => [alias.origId, alias]))
}
