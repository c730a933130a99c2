import { type Connector, type Grant, type Page, type Pull, SourceError } from '../../connectors/contract/contract.ts'
import { toChildServiceId } from '../../model/catalogue.ts'
import { type Connection, findLivingConnection } from '../../store/connections/connections.ts'
import { type CurrentAccount, listCurrentAccounts, type RecordScope } from '../../store/records/records.ts'
import type { SyncDeps } from '../deps.ts'
import type { OpenLink } from '../links/link.ts'
import { loadAliases } from '../runs/aliases.ts'
import { FingerprintAlbum, toFingerprint } from '../runs/fingerprints.ts'
import { type NormalizedItem, normalizePage } from '../runs/normalize.ts'
import { isStranger, type Known, matchAccounts } from '../runs/reidentify-match.ts'
import { boundTo } from '../sources/source-keys.ts'
import { EntityMismatch } from './grant.ts'

/** Pages of accounts that are looked at while the owner waits. */
const MAX_PAGES = 5
/** Accounts by which the owner's page names a login. */
const NAMED = 3

/**
 * A source whose logins look alike (the same bank) is asked for its accounts before a reconnect is accepted: throws `EntityMismatch` when
 * they are none of those connected before. What cannot be asked now, the first run finds out.
 */
export async function refuseStrangers(deps: SyncDeps, open: OpenLink, grants: readonly Grant[]): Promise<void> {
  const { source } = open.service
  const connector = await source.load()
  const pull = connector.pulls.find(({ delivers }) => delivers.includes('Accounts'))
  if (!connector.reidentify || !pull) return
  for (const grant of grants) {
    const living = await findKnown(deps, open, grant)
    if (living?.publishedAt && living.entityId === grant.entity.id) await refuseStranger(deps, { open, connector, pull, living, grant })
  }
}

async function findKnown(deps: SyncDeps, open: OpenLink, grant: Grant): Promise<Connection | null> {
  const { instanceId, companyId } = open.link
  const { key } = open.service.source.description
  const serviceId = grant.institution ? toChildServiceId(instanceId, key, grant.institution.id) : open.service.id
  return await findLivingConnection(deps.database, instanceId, companyId, serviceId)
}

interface Visit {
  open: OpenLink
  connector: Connector
  pull: Pull
  living: Connection
  grant: Grant
}

async function refuseStranger(deps: SyncDeps, visit: Visit): Promise<void> {
  const { connector, living, grant } = visit
  const current = await listCurrentAccounts(deps.database, living)
  const before = current.filter(({ deleted }) => !deleted)
  const listed = await listAccounts(deps, visit)
  if (!listed || listed.some(({ item }) => before.some(({ id }) => id === item.id))) return
  const album = new FingerprintAlbum(deps, deps.database, living.instanceId, connector)
  const now: Known<Listed>[] = listed.map((account) => ({ account, fingerprint: toFingerprint(connector, account.wire) }))
  const sides = {
    before: await album.describe(before),
    ended: await album.describe(current.filter(({ deleted }) => deleted)),
    now,
    seen: [],
  }
  if (!isStranger(sides, matchAccounts(sides))) return
  throw new EntityMismatch(
    nameLogin(
      living.entityName ?? grant.entity.name,
      before.map((account: CurrentAccount) => account.number),
    ),
    nameLogin(
      grant.entity.name,
      listed.map(({ item }) => ('doc' in item ? readNumber(item.doc) : '')),
    ),
  )
}

interface Listed {
  item: NormalizedItem
  wire: unknown
}

/** Null where the source does not tell now. */
async function listAccounts(deps: SyncDeps, visit: Visit): Promise<Listed[] | null> {
  const { open, pull, living, grant } = visit
  const { kit } = boundTo(open.service.source, living)
  const session = { kit, credentials: grant.credentials, entityId: grant.entity.id, nextFile: async () => null }
  const listed: Listed[] = []
  try {
    let page: Page | null = null
    for (let pages = 0; pages < MAX_PAGES && page?.next !== null; pages += 1) {
      page = await pull.fetch(session, page?.next ?? null)
      listed.push(...(await readPage(deps, visit, living, page)))
    }
    return page?.next === null && page.listing === 'complete' ? listed : null
  } catch (error) {
    if (error instanceof SourceError) return null
    throw error
  }
}

async function readPage(deps: SyncDeps, { connector, pull }: Visit, living: Connection, page: Page): Promise<Listed[]> {
  const scope: RecordScope = { instanceId: living.instanceId, companyId: living.companyId, serviceId: living.serviceId }
  const aliases = await loadAliases(deps.database, scope, pull, page.answers)
  const normalizing = { ...scope, serviceName: '', category: living.category, fetchedAt: deps.now(), ...(aliases ? { aliases } : {}) }
  const wires = [...pull.read(page.answers)]
  return [...normalizePage(connector, pull, page.answers, normalizing, () => undefined)].flatMap((item) => {
    const raw = wires[item.rawIndex]
    return item.entity === 'Accounts' && raw && 'wire' in raw ? [{ item, wire: raw.wire }] : []
  })
}

/** `Caisse (••••1234, ••••5678)`: two logins at one bank have the same name. */
function nameLogin(name: string, numbers: readonly string[]): string {
  const shown = numbers.filter((number) => number !== '')
  if (shown.length === 0) return name
  return `${name} (${shown.slice(0, NAMED).join(', ')}${shown.length > NAMED ? ', …' : ''})`
}

function readNumber(document: string): string {
  const { accountNumber } = JSON.parse(document)
  return typeof accountNumber === 'string' ? accountNumber : ''
}
