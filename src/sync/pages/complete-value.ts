import { joinLarge } from '../../model/steps/large-bytes.ts'
import type { PageObjects } from '../context/groups.ts'

/** Thrown when the bytes of a page are not where its row says: they were lost, or the settings name another bucket. */
export class ObjectMissing extends Error {
  override readonly name = 'ObjectMissing'

  constructor(objectKey: string, isConfigured: boolean) {
    super(
      isConfigured
        ? `the object storage has no object ${objectKey} of a raw page`
        : `a raw page lies in object storage (${objectKey}), but RAW_PAGE_BUCKET is not set`,
    )
  }
}

/** Sealed value whose bytes, except the head, are in an object. Throws `ObjectMissing` and `StorageRefused`. */
export async function completeValue(
  pageObjects: Pick<PageObjects, 'get'> | undefined,
  head: Uint8Array,
  object: { key: string; bytes: number } | null,
): Promise<Uint8Array> {
  if (object === null) return head
  const rest = (await pageObjects?.get(object.key, object.bytes)) ?? null
  if (rest === null) throw new ObjectMissing(object.key, pageObjects !== undefined)
  return await joinLarge([head, rest])
}
