import { type Connector, type Grant, type Page, type Pull, SourceError, type SourceItem } from '../../connectors/contract/contract.ts'
import { toChildServiceId } from '../../model/catalogue.ts'
import { type Connection, findActiveConnection } from '../../store/connections/connections.ts'
import type { Db } from '../../store/db/database.ts'
import { type CurrentAccount, listCurrentAccounts } from '../../store/records/records.ts'
import type { Clock, Store, Vault } from '../context/groups.ts'
import type { OpenLink } from '../links/link.ts'
import { isOtherLogin, type KnownAccount, matchAccounts } from '../runs/account-matching.ts'
import { openPageScope } from '../runs/aliases.ts'
import { FingerprintStore, toFingerprint } from '../runs/fingerprints.ts'
import { type NormalizedItem, normalizeItems } from '../runs/normalize.ts'
import { readItems } from '../runs/read-items.ts'
import { bindToConnection } from '../sources/source-keys.ts'
import { EntityMismatch } from './grant.ts'

/** Maximum pages of accounts read while the owner waits. */
const MAX_PAGES = 5
/** Accounts listed to identify a login on the owner's page. */
const NAMED = 3

/**
 * Reconnect check: for a source whose logins look alike (the same bank), lists the accounts before a reconnect is
 * accepted; throws `EntityMismatch` when none of them was connected before. If the source cannot answer now, the first
 * run checks it.
 */
export async function assertSameLogins(deps: Store & Vault & Clock, open: OpenLink, grants: readonly Grant[]): Promise<void> {
  const { source } = open.service
  const connector = await source.load()
  const pull = connector.pulls.find(({ delivers }) => delivers.includes('Accounts'))
  if (!connector.reidentify || !pull) return
  for (const grant of grants) {
    const active = await findExistingConnection(deps.database, open, grant)
    if (active?.publishedAt && active.entityId === grant.entity.id) await assertSameLogin(deps, { open, connector, pull, active, grant })
  }
}

async function findExistingConnection(db: Db, open: OpenLink, grant: Grant): Promise<Connection | null> {
  const { instanceId, companyId } = open.link
  const { key } = open.service.source.description
  const serviceId = grant.institution ? toChildServiceId(instanceId, key, grant.institution.id) : open.service.id
  return await findActiveConnection(db, instanceId, companyId, serviceId)
}

interface ReconnectCheck {
  open: OpenLink
  connector: Connector
  pull: Pull
  active: Connection
  grant: Grant
}

async function assertSameLogin(deps: Store & Vault & Clock, check: ReconnectCheck): Promise<void> {
  const { connector, active, grant } = check
  const current = await listCurrentAccounts(deps.database, active)
  const before = current.filter(({ deleted }) => !deleted)
  const listed = await listAccounts(deps.database, deps, check)
  if (!listed || listed.some(({ item }) => before.some(({ id }) => id === item.id))) return
  const fingerprintStore = new FingerprintStore(deps, deps.database, active, { source: check.open.service.source, connector })
  const now: KnownAccount<Listed>[] = listed.map((account) => ({ account, fingerprint: toFingerprint(connector, account.wire) }))
  const sides = {
    before: await fingerprintStore.withFingerprints(before),
    ended: await fingerprintStore.withFingerprints(current.filter(({ deleted }) => deleted)),
    now,
    seen: [],
  }
  if (!isOtherLogin(sides, matchAccounts(sides))) return
  throw new EntityMismatch(
    nameLogin(
      active.entityName ?? grant.entity.name,
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

/** Null when the source cannot answer now. */
async function listAccounts(db: Db, clock: Clock, check: ReconnectCheck): Promise<Listed[] | null> {
  const { open, pull, active, grant } = check
  const { kit } = bindToConnection(open.service.source, active)
  const session = { kit, credentials: grant.credentials, entityId: grant.entity.id, nextFile: async () => null }
  const listed: Listed[] = []
  try {
    let page: Page | null = null
    for (let pages = 0; pages < MAX_PAGES && page?.next !== null; pages += 1) {
      page = await pull.fetch(session, page?.next ?? null)
      listed.push(...(await readPage(db, clock, check, page)))
    }
    return page?.next === null && page.listing === 'complete' ? listed : null
  } catch (error) {
    if (error instanceof SourceError) return null
    throw error
  }
}

async function readPage(db: Db, clock: Clock, { open, connector, pull, active }: ReconnectCheck, page: Page): Promise<Listed[]> {
  const items: SourceItem[] = []
  for await (const some of readItems(open.service.source, connector, pull, page.answers)) for (const item of some) items.push(item)
  const scope = await openPageScope(db, active, { serviceName: '', fetchedAt: clock.now() }, () => [items])
  return [...normalizeItems(connector, items, scope, () => undefined)].flatMap((item) => {
    const raw = items[item.rawIndex]
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
