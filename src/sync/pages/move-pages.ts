import { randomUUID } from 'node:crypto'
import { inTransaction } from '../../store/db/database.ts'
import { SEALED_MIN_BYTES } from '../../store/keys/sealing.ts'
import {
  announceObject,
  claimObject,
  listPageWindow,
  moveToDatabase,
  moveToObject,
  type PageKey,
  type PageWindow,
  toObjectKey,
} from '../../store/records/page-objects.ts'
import { findRawPage } from '../../store/records/raw-pages.ts'
import type { CrashPoints, Logging, PageObjects, Store } from '../context/groups.ts'

/** Pages read by one statement. */
const WINDOW = 500
/** Concurrent requests to the storage. */
const AT_ONCE = 4
/** Pages per step, so that the next step sees concurrent changes. */
const STEP_MS = 120_000
/** Wait after a complete pass: only pages that the storage has refused are left. */
const REST_MS = 6 * 3_600_000

export interface MoveContext extends Store, Logging, CrashPoints {
  pageObjects: PageObjects
}

/**
 * Mover of raw pages: each call is a bounded step that continues where the last one ended. Moves pages into the storage
 * if they belong there, otherwise back. Any number of processes may move; if two move the same page, one succeeds, and
 * the object of the other is removed.
 */
export function pageMover(deps: MoveContext, isStopping: () => boolean, { restMs = REST_MS } = {}): () => Promise<number> {
  let after: PageWindow['last'] = null
  let restsUntilMs = Number.NEGATIVE_INFINITY
  return async () => {
    const startMs = performance.now()
    if (startMs < restsUntilMs) return 0
    let moved = 0
    do {
      const { pages, last }: PageWindow = await listPageWindow(deps.database, !deps.pageObjects.isDestination, after, WINDOW)
      moved += await moveAll(deps, pages, isStopping)
      if (isStopping()) return moved
      after = last
      if (last === null) restsUntilMs = performance.now() + restMs
    } while (after !== null && performance.now() < startMs + STEP_MS)
    if (moved > 0) deps.log.info({ moved, toStorage: deps.pageObjects.isDestination }, 'raw pages moved')
    return moved
  }
}

/** Throws `StorageRefused` if the storage fails: the next step begins with the same pages. */
async function moveAll(deps: MoveContext, pages: PageKey[], isStopping: () => boolean): Promise<number> {
  const queue = pages.values()
  let moved = 0
  const work = async (): Promise<void> => {
    for (const page of queue) {
      if (isStopping()) return
      if (await (deps.pageObjects.isDestination ? moveIn(deps, page) : moveBack(deps, page))) moved += 1
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, work))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
  return moved
}

/**
 * The bytes are deleted from the database in the transaction that claims their object, never before the storage has
 * them.
 */
async function moveIn({ database, pageObjects, crashPoint }: MoveContext, page: PageKey): Promise<boolean> {
  const found = await findRawPage(database, page)
  if (!found || found.object !== null || found.sealed.length < SEALED_MIN_BYTES) return false
  const object = { id: randomUUID(), bytes: found.sealed.length - SEALED_MIN_BYTES }
  const objectKey = toObjectKey(page, object.id)
  await announceObject(database, objectKey)
  await pageObjects.put(objectKey, found.sealed.subarray(SEALED_MIN_BYTES))
  await crashPoint?.('after-object-before-page')
  return await inTransaction(database, async (db) => {
    if (!(await claimObject(db, objectKey))) return false
    if (await moveToObject(db, page, object)) return true
    await announceObject(db, objectKey)
    return false
  })
}

async function moveBack({ database, pageObjects, log }: MoveContext, page: PageKey): Promise<boolean> {
  const found = await findRawPage(database, page)
  const object = found?.object
  if (!object) return false
  const objectKey = toObjectKey(page, object.id)
  const bytes = await pageObjects.get(objectKey, object.bytes)
  if (bytes !== null) return await inTransaction(database, (db) => moveToDatabase(db, page, object, bytes))
  const now = await findRawPage(database, page)
  if (now?.object?.id === object.id) log.error({ rawPageId: page.id, objectKey }, 'the object of a raw page is missing')
  return false
}
