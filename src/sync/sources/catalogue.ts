import type { Source, Sources } from '../../connectors/sources.ts'
import { CATEGORY_IDS, type Category, type Entity, toServiceId } from '../../model/catalogue.ts'
import { type ChildService, findChildService, listChildServices } from '../../store/connections/child-services.ts'
import type { Db } from '../../store/db/database.ts'

/** Catalogue entry with its source. */
export interface Service {
  id: string
  isEnabled: boolean
  environment: 'sandbox' | 'production'
  name: string
  title: string
  parentId: string | null
  parentName: string | null
  /** JSON text: locale tag → text. */
  description: string
  categoryId: string
  category: Category
  supportedEntities: readonly Entity[]
  source: Source
  /** The bank, for a child service. */
  institutionId: string | null
}

/** Services visible to an instance: all sources, and the banks it has reached through them. */
export async function listServices(db: Db, sources: Sources, instanceId: string): Promise<Service[]> {
  const children = await listChildServices(db, instanceId)
  const parents = [...sources.values()].map(toParent)
  return [...parents, ...children.flatMap((child) => toChild(sources, child) ?? [])]
}

/** Null when this instance has no such service. */
export async function findService(db: Db, sources: Sources, instanceId: string, id: string): Promise<Service | null> {
  const wanted = id.toLowerCase()
  for (const source of sources.values()) {
    if (toServiceId(source.description.key) === wanted) return toParent(source)
  }
  const child = await findChildService(db, instanceId, id)
  return child ? toChild(sources, child) : null
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
    description: JSON.stringify(description.description),
    categoryId: CATEGORY_IDS[description.category],
    category: description.category,
    supportedEntities: description.entities,
    source,
    institutionId: null,
  }
}

function toChild(sources: Sources, child: ChildService): Service | null {
  const source = sources.get(child.connectorKey)
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
