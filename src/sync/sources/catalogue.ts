import type { Source, Sources } from '../../connectors/sources.ts'
import { CATEGORY_IDS, type Category, type Entity, toServiceId } from '../../model/catalogue.ts'
import { type ChildService, findChildService, listChildServices } from '../../store/connections/child-services.ts'
import type { Db } from '../../store/db/database.ts'
import { findTenantSource, listTenantSources } from './tenant-sources.ts'

/** Catalogue entry with its source. */
export interface Service {
  id: string
  isEnabled: boolean
  environment: 'sandbox' | 'production'
  name: string
  title: string
  parentId: string | null
  parentName: string | null
  categoryId: string
  category: Category
  supportedEntities: readonly Entity[]
  source: Source
  /** The bank, for a child service. */
  institutionId: string | null
}

/** Services visible to an instance: all sources, and the banks it has reached through them; only those with the `ids`, if given. */
export async function listServices(db: Db, sources: Sources, instanceId: string, ids: readonly string[] | null = null): Promise<Service[]> {
  const children = await listChildServices(db, instanceId, ids)
  const own = await listTenantSources(db, sources, instanceId)
  const byKey = new Map(own.map((source) => [source.description.key, source]))
  const parents = own.map(toParent).filter(({ id }) => ids === null || ids.includes(id))
  return [...parents, ...children.flatMap((child) => toChild(byKey.get(child.connectorKey), child) ?? [])]
}

/** Null when this instance has no such service. */
export async function findService(db: Db, sources: Sources, instanceId: string, id: string): Promise<Service | null> {
  const wanted = id.toLowerCase()
  for (const key of sources.keys()) {
    if (toServiceId(key) !== wanted) continue
    const source = await findTenantSource(db, sources, instanceId, key)
    return source && toParent(source)
  }
  const child = await findChildService(db, instanceId, id)
  return child && toChild(await findTenantSource(db, sources, instanceId, child.connectorKey), child)
}

function toParent(source: Source): Service {
  const { description } = source
  return {
    id: toServiceId(description.key),
    isEnabled: source.isEnabled,
    environment: source.environment,
    name: description.name,
    title: description.title,
    parentId: null,
    parentName: null,
    categoryId: CATEGORY_IDS[description.category],
    category: description.category,
    supportedEntities: description.entities,
    source,
    institutionId: null,
  }
}

function toChild(source: Source | null | undefined, child: ChildService): Service | null {
  if (!source) return null
  const parent = toParent(source)
  return {
    ...parent,
    id: child.id,
    name: child.name,
    // The same bank through two aggregators is two services of one name. The word is the same in French.
    title: `${child.name} via ${parent.name}`,
    parentId: parent.id,
    parentName: parent.name,
    institutionId: child.institutionId,
  }
}
