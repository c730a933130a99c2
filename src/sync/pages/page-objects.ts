import { setTimeout } from 'node:timers/promises'
import type { Egress } from '../../egress/egress.ts'
import { type Bucket, openObject, StorageRefused, VersionKept } from '../../object-storage/s3-object.ts'
import type { PageObjects } from '../context/groups.ts'

/** Settings of the bucket for raw pages. */
export interface PageBucket extends Bucket {
  /** Prefix of object keys; empty, or with a trailing slash. */
  prefix: string
  isDestination: boolean
}

export interface PageObjectOptions {
  /**
   * Waits between attempts; default two. All attempts together take less than the 30 s for which a transaction may be
   * idle.
   */
  waitsMs?: readonly number[]
  timeoutMs?: number
}

const WAITS_MS = [250, 1_000]
const TIMEOUT_MS = 8_000

/** Raw pages in a bucket of an S3-compatible storage. The operator configures it, so it may have a private address. */
export function createPageObjects(
  egress: Egress,
  { prefix, isDestination, ...bucket }: PageBucket,
  { waitsMs = WAITS_MS, timeoutMs = TIMEOUT_MS }: PageObjectOptions = {},
): PageObjects {
  const open = (objectKey: string) => openObject(egress, bucket, `${prefix}${objectKey}`, { timeoutMs, allowPrivate: true })

  async function repeated<T>(attempt: () => Promise<T>): Promise<T> {
    for (const waitMs of waitsMs) {
      try {
        return await attempt()
      } catch (error) {
        if (!(error instanceof StorageRefused) || !isTemporary(error)) throw error
        await setTimeout(waitMs)
      }
    }
    return await attempt()
  }

  return {
    isDestination,
    put: (objectKey, bytes) =>
      repeated(async () => {
        if (await open(objectKey).putChecked(bytes)) return
        // The response has no digest of the stored bytes: it may belong to another request.
        const stored = await open(objectKey).get(bytes.length)
        if (stored === null || !Buffer.from(stored).equals(bytes)) throw new StorageRefused('The storage took other bytes.', 0, '', false)
      }),
    get: (objectKey, bytes) =>
      repeated(async () => {
        const found = await open(objectKey).get(bytes)
        if (found !== null && found.length !== bytes)
          throw new StorageRefused(`The storage answered ${found.length} bytes instead of ${bytes}.`, 0, '', false)
        return found
      }),
    remove: (objectKey) =>
      repeated(async () => {
        await open(objectKey)
          .remove()
          .catch((error: unknown) => {
            // With versioning, an object can only be hidden; nobody can decrypt it any more.
            const isGone =
              error instanceof VersionKept || (error instanceof StorageRefused && error.status === 404 && error.code !== 'NoSuchBucket')
            if (!isGone) throw error
          })
        // The response may have belonged to another request.
        if ((await open(objectKey).get(0)) !== null) throw new StorageRefused('The storage still has the object.', 0, '', false)
      }),
  }
}

/** Errors that a retry would not fix, such as a wrong key or a missing bucket, are not retried. */
function isTemporary({ status }: StorageRefused): boolean {
  return status === 0 || status === 429 || status >= 500
}
