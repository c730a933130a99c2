interface Dated {
  serviceId: string
  statusCode: number
  createdOn: string
}

/** What has not come to an authorization, or has ended. */
const ASIDE: readonly number[] = [6, 7, 20, 25, 26]

/** Of each service the connection that counts, as the API has it: an active one before attempts and ended ones, else the newest. */
export function currentOfEach<Item extends Dated>(connections: readonly Item[]): Item[] {
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
