import type { Connection, StatusCode } from '../../api/generated/types.ts'

type Dated = Pick<Connection, 'serviceId' | 'statusCode' | 'createdOn'>

/** Statuses before an authorization, or after the end. */
const ASIDE: readonly StatusCode[] = [6, 7, 20, 25, 26]

/** Current connection of each service, by the API's rule: an active one before attempts and ended ones, else the newest. */
export function currentConnections<Item extends Dated>(connections: readonly Item[]): Item[] {
  const isBefore = (one: Item, other: Item) => {
    const [isLiving, wasLiving] = [!ASIDE.includes(one.statusCode), !ASIDE.includes(other.statusCode)]
    return isLiving === wasLiving ? one.createdOn > other.createdOn : isLiving
  }
  const current = new Map<string, Item>()
  for (const each of connections) {
    const known = current.get(each.serviceId)
    if (!known || isBefore(each, known)) current.set(each.serviceId, each)
  }
  return [...current.values()]
}
