import { hash } from 'node:crypto'
import { v5 as uuidv5 } from 'uuid'

/** Kind of records that a source can deliver, in the words of the services list. */
export type Entity = 'Accounts' | 'Transactions'

export const CATEGORIES = ['Accounting', 'Banking'] as const
export type Category = (typeof CATEGORIES)[number]

/** UUID namespace of all name-based ids; changing it would change all of them. */
const NAMESPACE = '5b1f7c1e-6d0a-4a55-9f2e-3b7f4c8a9d10'

/** Fixed ids of the two categories. */
export const CATEGORY_IDS: Record<Category, string> = {
  Accounting: uuidv5('category/Accounting', NAMESPACE),
  Banking: uuidv5('category/Banking', NAMESPACE),
}

/** Computed once: a service lookup goes through all ids. */
const serviceIds = new Map<string, string>()

/** Id of a built-in catalogue entry: the same in every deployment, forever. */
export function toServiceId(connectorKey: string): string {
  const known = serviceIds.get(connectorKey)
  if (known !== undefined) return known
  const id = uuidv5(`service/${connectorKey}`, NAMESPACE)
  serviceIds.set(connectorKey, id)
  return id
}

/** Id of an instance's child service for one institution reached through a parent. */
export function toChildServiceId(instanceId: string, connectorKey: string, institutionId: string): string {
  return uuidv5(`child/${instanceId}/${connectorKey}/${institutionId}`, NAMESPACE)
}

/** Normalized id of a record: stable for (company, service, entity, origId), across runs and reconnects. */
export function toRecordId(companyId: string, serviceId: string, entity: Entity, origId: string): string {
  return toNameId(`record/${companyId}/${serviceId}/${entity}/${origId}`)
}

const NAMESPACE_BYTES = Buffer.from(NAMESPACE.replaceAll('-', ''), 'hex')
/** The namespace, and behind it the name of the moment: a new buffer for each would take as long as the hash. */
const NAMED = Buffer.concat([NAMESPACE_BYTES], 1_024)

function toNamed(name: string): Uint8Array {
  // A character takes three bytes at most.
  if (NAMESPACE_BYTES.length + name.length * 3 > NAMED.length) return Buffer.concat([NAMESPACE_BYTES, Buffer.from(name)])
  return NAMED.subarray(0, NAMESPACE_BYTES.length + NAMED.write(name, NAMESPACE_BYTES.length))
}

/**
 * UUID version 5, three times as fast as `uuidv5`: computed for every record of every page.
 * Source: https://www.rfc-editor.org/rfc/rfc9562#section-5.5
 */
function toNameId(name: string): string {
  const hex = hash('sha1', toNamed(name), 'hex')
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
