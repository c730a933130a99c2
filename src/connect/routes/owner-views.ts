import type { Sources } from '../../connectors/sources.ts'
import { isFault, restingStatus, Status } from '../../model/statuses.ts'
import { localizeSourceName } from '../../model/texts/source-names.ts'
import type { Locale } from '../../model/values/text.ts'
import { listActiveConsents } from '../../store/connections/consent-lists.ts'
import type { Db } from '../../store/db/database.ts'
import {
  countOwnedConnections,
  listActiveConnections,
  listEndedConnections,
  listFirstAccounts,
  type OwnedConnection,
} from '../../store/owners/owner-connections.ts'
import { listReceiptsOfConnections } from '../../store/owners/receipts.ts'
import { listPublicationsOfCompany } from '../../store/records/publications.ts'
import type { Catalogue, Clock, Store } from '../../sync/context/groups.ts'
import { findService, listServices, type Service } from '../../sync/sources/catalogue.ts'
import type { ActiveView, EndedView, OwnedName, OwnedState, OwnedViews } from '../views/owner-page.ts'
import { type ListPage, toListPage } from '../views/pager.ts'
import { type OwnerVisit, readText, type Visitor } from '../visit/visitor.ts'

/** Connections on a page of each list. */
const PAGE_SIZE = 25
/** Accounts named on the page; the others are counted. */
const NAMED_ACCOUNTS = 3
/** How long ended connections without a receipt are shown: as long as the page itself is valid. */
const ENDED_SHOWN_MS = 30 * 86_400_000

/** Services by id. */
type Services = ReadonlyMap<string, Service>

/**
 * Pages of the connections on the owner page, as its query asks (`active`, `ended`): the active ones in the order in
 * which they were connected, of the others the last that ended first.
 */
export async function listOwnedViews(
  { database, sources, now }: Store & Catalogue & Clock,
  { locale }: Visitor,
  { access }: OwnerVisit,
  query: unknown,
): Promise<OwnedViews> {
  const endedAfter = new Date(now().getTime() - ENDED_SHOWN_MS)
  const counts = await countOwnedConnections(database, access, endedAfter)
  const pageOf = (list: 'active' | 'ended') => toListPage(readText(query, list), counts[list], PAGE_SIZE)
  const pages = { active: pageOf('active'), ended: pageOf('ended') }
  const active = await listActiveConnections(database, access, toRows(pages.active))
  const ended = await listEndedConnections(database, access, endedAfter, toRows(pages.ended))
  const serviceIds = [...active, ...ended].map(({ serviceId }) => serviceId)
  const services = new Map((await listServices(database, sources, access.instanceId, serviceIds)).map((service) => [service.id, service]))
  return {
    active: await toActiveViews(database, locale, access, services, active),
    ended: await toEndedViews(database, locale, access, services, ended),
    pages,
  }
}

/** Name of a connection's source for the owner. */
export async function toOwnedName(db: Db, sources: Sources, locale: Locale, connection: OwnedConnection): Promise<OwnedName> {
  return nameService(await findService(db, sources, connection.instanceId, connection.serviceId), locale)
}

function toRows({ page }: ListPage): { limit: number; offset: number } {
  return { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE }
}

async function toActiveViews(
  db: Db,
  locale: Locale,
  access: OwnerVisit['access'],
  services: Services,
  connections: OwnedConnection[],
): Promise<ActiveView[]> {
  const ids = connections.map(({ id }) => id)
  const serviceIds = connections.map(({ serviceId }) => serviceId)
  const consents = await listActiveConsents(db, access.instanceId, ids)
  const publications = await listPublicationsOfCompany(db, access, serviceIds)
  const named = connections.filter(({ category, serviceId }) => category === 'Banking' && publications.has(serviceId))
  const accounts = await listFirstAccounts(db, access, named, NAMED_ACCOUNTS)
  return connections.map((connection) => {
    const service = services.get(connection.serviceId)
    const publication = publications.get(connection.serviceId)
    return {
      ...toShown(service, locale, connection),
      entities: service?.supportedEntities ?? [],
      state: toState(connection),
      accounts: publication?.accounts ?? 0,
      transactions: publication?.transactions ?? 0,
      accountNames: accounts.get(connection.id)?.map(toAccountName) ?? [],
      consent: consents.get(connection.id) ?? null,
    }
  })
}

async function toEndedViews(
  db: Db,
  locale: Locale,
  { instanceId }: OwnerVisit['access'],
  services: Services,
  connections: OwnedConnection[],
): Promise<EndedView[]> {
  const ids = connections.map(({ id }) => id)
  const receipts = Map.groupBy(await listReceiptsOfConnections(db, instanceId, ids), ({ connectionId }) => connectionId)
  return connections.map((connection) => ({
    ...toShown(services.get(connection.serviceId), locale, connection),
    receipts: receipts.get(connection.id) ?? [],
  }))
}

function toShown(service: Service | undefined, locale: Locale, connection: OwnedConnection) {
  const { name: serviceName, isFiles } = nameService(service ?? null, locale)
  return { connection, serviceName, institutionId: service?.institutionId ?? null, isFiles }
}

function nameService(service: Service | null, locale: Locale): OwnedName {
  return { name: localizeSourceName(service?.name ?? '', locale), isFiles: service?.source.description.link === 'upload' }
}

function toState({ status, category, ownerPausedAt, operatorSuspendedAt }: OwnedConnection): OwnedState {
  if (status === Status.Suspended) return ownerPausedAt ? (operatorSuspendedAt ? 'both' : 'paused') : 'suspended'
  if (status === restingStatus(category)) return 'ready'
  if (status === Status.Deauthorized) return 'renewal'
  if (status === Status.Authorization || status === Status.Authorized || status === Status.WaitingForWebhook) return 'waiting'
  return isFault(status) ? 'retrying' : 'reading'
}

/** Numbers are stored masked. */
function toAccountName(doc: string): string {
  const account: unknown = JSON.parse(doc)
  const [name = '', number = ''] = [readText(account, 'accountName'), readText(account, 'accountNumber')]
  return name.includes(number) ? name : `${name} ${number}`
}
