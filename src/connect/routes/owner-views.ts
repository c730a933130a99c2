import type { Sources } from '../../connectors/sources.ts'
import { isFault, restingStatus, Status } from '../../model/statuses.ts'
import { localizeSourceName } from '../../model/texts/source-names.ts'
import { FIRST_ID } from '../../model/values/first-id.ts'
import type { Locale } from '../../model/values/text.ts'
import { type Consent, listConsentsOfCompany } from '../../store/connections/consents.ts'
import type { Db } from '../../store/db/database.ts'
import { listOwnedConnections, listStoredDocuments, type OwnedConnection } from '../../store/owners/owner-connections.ts'
import { listReceiptsOfCompany, type Receipt } from '../../store/owners/receipts.ts'
import { findPublication } from '../../store/records/publications.ts'
import type { Catalogue, Clock, Store } from '../../sync/context/groups.ts'
import { findService } from '../../sync/sources/catalogue.ts'
import type { OwnedName, OwnedState, OwnedView } from '../views/owner-page.ts'
import { type OwnerVisit, readText, type Visitor } from '../visit/visitor.ts'

/** Accounts named on the page; the others are counted. */
const NAMED_ACCOUNTS = 3
/** How long ended connections are shown: as long as the page itself is valid. */
const ENDED_SHOWN_MS = 30 * 86_400_000

/** Connections on the owner page, in the order in which they were connected. */
export async function listOwnedViews(
  deps: Store & Catalogue & Clock,
  visitor: Visitor,
  owner: OwnerVisit,
): Promise<{ active: OwnedView[]; ended: OwnedView[] }> {
  const { instanceId, companyId } = owner.access
  const connections = await listOwnedConnections(deps.database, instanceId, companyId)
  const consents = await listConsentsOfCompany(deps.database, instanceId, companyId)
  const receipts = await listReceiptsOfCompany(deps.database, instanceId, companyId)
  const earliest = deps.now().getTime() - ENDED_SHOWN_MS
  const shown = connections.filter(({ id, endedAt }) => {
    return endedAt === null || endedAt.getTime() > earliest || receipts.some(({ connectionId }) => connectionId === id)
  })
  const views: OwnedView[] = []
  for (const connection of shown) views.push(await toOwnedView(deps.database, deps.sources, visitor, connection, consents, receipts))
  return { active: views.filter((one) => one.connection.endedAt === null), ended: views.filter((one) => one.connection.endedAt !== null) }
}

/** Name of a connection's source for the owner. */
export async function toOwnedName(db: Db, sources: Sources, locale: Locale, connection: OwnedConnection): Promise<OwnedName> {
  const service = await findService(db, sources, connection.instanceId, connection.serviceId)
  return { name: localizeSourceName(service?.name ?? '', locale), isFiles: service?.source.description.link === 'upload' }
}

async function toOwnedView(
  db: Db,
  sources: Sources,
  visitor: Visitor,
  connection: OwnedConnection,
  consents: readonly Consent[],
  receipts: readonly Receipt[],
): Promise<OwnedView> {
  const { instanceId, companyId, serviceId, id } = connection
  const service = await findService(db, sources, instanceId, serviceId)
  const { name, isFiles } = await toOwnedName(db, sources, visitor.locale, connection)
  const publication = connection.endedAt ? null : await findPublication(db, { instanceId, companyId, serviceId })
  return {
    connection,
    serviceName: name,
    institutionId: service?.institutionId ?? null,
    isFiles,
    entities: service?.supportedEntities ?? [],
    state: toState(connection),
    accounts: publication?.accounts ?? 0,
    transactions: publication?.transactions ?? 0,
    accountNames: publication && connection.category === 'Banking' ? await listAccountNames(db, connection) : [],
    consent: consents.findLast((one) => one.connectionId === id && one.endedAt === null) ?? null,
    receipts: receipts.filter(({ connectionId }) => connectionId === id),
  }
}

function toState({ status, category, ownerPausedAt, operatorSuspendedAt }: OwnedConnection): OwnedState {
  if (status === Status.Suspended) return ownerPausedAt ? (operatorSuspendedAt ? 'both' : 'paused') : 'suspended'
  if (status === restingStatus(category)) return 'ready'
  if (status === Status.Deauthorized) return 'renewal'
  if (status === Status.Authorization || status === Status.Authorized || status === Status.WaitingForWebhook) return 'waiting'
  return isFault(status) ? 'retrying' : 'reading'
}

/** Numbers are stored masked. */
async function listAccountNames(db: Db, connection: OwnedConnection): Promise<string[]> {
  const place = { ...connection, connectionId: connection.id }
  const records = await listStoredDocuments(db, place, 'Accounts', FIRST_ID, NAMED_ACCOUNTS)
  return records.map(({ doc }) => {
    const account: unknown = JSON.parse(doc)
    const [name = '', number = ''] = [readText(account, 'accountName'), readText(account, 'accountNumber')]
    return name.includes(number) ? name : `${name} ${number}`
  })
}
