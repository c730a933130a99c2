import type { Source, Sources, Tenant } from '../../connectors/sources.ts'
import { findInstanceKind } from '../../store/access/instances.ts'
import type { Db } from '../../store/db/database.ts'
import { SYSTEM_INSTANCE_ID } from '../context/system-instance.ts'

const MAX_KNOWN = 10_000
/** The kind of an instance never changes. */
const known = new Map<string, Tenant['kind']>()

/** Sources of an instance, in the order of the catalogue: live instances have no simulators and no fictional banks. */
export async function listTenantSources(db: Db, sources: Sources, instanceId: string): Promise<Source[]> {
  const found: Source[] = []
  for (const source of sources.values()) {
    const own = await toTenantSource(db, source, instanceId)
    if (own) found.push(own)
  }
  return found
}

/** Source of a connector for an instance; null if it has none. */
export async function findTenantSource(db: Db, sources: Sources, instanceId: string, connectorKey: string): Promise<Source | null> {
  const source = sources.get(connectorKey)
  return source ? await toTenantSource(db, source, instanceId) : null
}

/** Source for data shared by all instances. */
export function toSharedSource(source: Source): Source {
  return source.forTenant({ id: SYSTEM_INSTANCE_ID, kind: 'test' })
}

async function toTenantSource(db: Db, source: Source, instanceId: string): Promise<Source | null> {
  if (!source.isByTenant) return source
  const kind = await kindOf(db, instanceId)
  return kind === 'live' && source.description.isExample ? null : source.forTenant({ id: instanceId, kind })
}

async function kindOf(db: Db, instanceId: string): Promise<Tenant['kind']> {
  const before = known.get(instanceId)
  if (before !== undefined) return before
  const kind = await findInstanceKind(db, instanceId)
  if (kind === null) return 'live'
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(instanceId, kind)
  return kind
}
