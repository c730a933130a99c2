import type { Answers, Connector, Pull } from '../connectors/contract.ts'
import type { Entity } from '../model/catalogue.ts'
import type { Db } from '../store/database.ts'
import { type QuarantinedRecord, quarantineRecords } from '../store/quarantine.ts'
import { listCurrentHashes } from '../store/records.ts'
import { type StagedRecord, stageRecords, unstageRecords } from '../store/staged-records.ts'
import type { SyncRun, UnmappedWord } from '../store/sync-runs.ts'
import { type NormalizedItem, type NormalizeScope, normalizePage } from './normalize.ts'

/** How many records are compared and written at a time: bounds memory whatever the size of a page. */
const BATCH = 2_000
/** Words of one run that are kept with their counts. */
const MAX_WORDS = 200

/** Stands in a page's bytes of seen ids for a record without an id: nobody can then say that any other is missing. */
const UNKNOWN_ID = Buffer.alloc(8)

export interface StageRequest {
  run: SyncRun
  connector: Connector
  pull: Pull
  answers: Answers
  rawPageId: string
  scope: NormalizeScope & { instanceId: string }
}

/**
 * Normalizes a page and stages what differs from what is published; raises the run's counts. Part of the page's transaction.
 * Gives eight bytes for each record that the page showed.
 */
export async function stagePage(db: Db, request: StageRequest): Promise<Uint8Array> {
  const { run, connector, pull, answers, scope } = request
  const words = new Map(run.unmapped.map((word) => [`${word.entity}\n${word.field}\n${word.word}`, word]))
  const seen: Buffer[] = []
  let batch: NormalizedItem[] = []
  for (const item of normalizePage(connector, pull, answers, scope, (entity, field, word) => countWord(words, entity, field, word))) {
    if (item.id === null) seen.push(UNKNOWN_ID)
    else if (!('removed' in item)) seen.push(idPrefix(item.id))
    batch.push(item)
    if (batch.length === BATCH) {
      await stageBatch(db, request, batch)
      batch = []
    }
  }
  await stageBatch(db, request, batch)
  run.unmapped = [...words.values()]
  return Buffer.concat(seen)
}

async function stageBatch(db: Db, request: StageRequest, items: NormalizedItem[]): Promise<void> {
  const { run, scope } = request
  if (items.length === 0) return
  const setAside: QuarantinedRecord[] = []
  const byEntity = new Map<Entity, Map<string, StagedRecord>>()
  for (const item of items) {
    if ('reason' in item) {
      setAside.push({ ...item, origId: item.origId ?? `#${request.rawPageId}/${item.rawIndex}`, rawPageId: request.rawPageId })
      continue
    }
    const records = byEntity.get(item.entity) ?? new Map<string, StagedRecord>()
    byEntity.set(item.entity, records)
    const record = toStaged(request, item)
    const earlier = records.get(record.origId)
    if (!earlier || !isOlder(record.sourceVersion, earlier.sourceVersion)) records.set(record.origId, record)
  }
  run.counts.setAside += setAside.length
  await quarantineRecords(db, { instanceId: run.instanceId, id: run.id, connectionId: run.connectionId }, setAside)
  for (const [entity, records] of byEntity) await stageEntity(db, run, scope, entity, [...records.values()])
}

async function stageEntity(db: Db, run: SyncRun, scope: StageRequest['scope'], entity: Entity, records: StagedRecord[]): Promise<void> {
  const ids = records.map((record) => record.id)
  const current = new Map((await listCurrentHashes(db, scope, entity, ids)).map((row) => [row.id, row]))
  const changed: StagedRecord[] = []
  const same: string[] = []
  for (const record of records) {
    const published = current.get(record.id)
    const isSame = published
      ? isOlder(record.sourceVersion, published.sourceVersion) ||
        (record.doc === null ? published.deleted : !published.deleted && sameBytes(record.contentHash, published.contentHash))
      : record.doc === null
    if (isSame) same.push(record.origId)
    else changed.push(record)
  }
  run.counts.records += records.length
  if (run.counts.changed > 0 && same.length > 0) await unstageRecords(db, run.instanceId, run.id, entity, same)
  run.counts.changed += changed.length
  await stageRecords(db, run.instanceId, run.id, run.page, changed)
}

function toStaged(request: StageRequest, item: Exclude<NormalizedItem, { reason: string }>): StagedRecord {
  const shared = {
    entity: item.entity,
    origId: item.origId,
    id: item.id,
    rawPageId: request.rawPageId,
    rawIndex: item.rawIndex,
  }
  if ('removed' in item) return { ...shared, doc: null, contentHash: null, sourceVersion: null, sortKey: '', mappingVersion: 0 }
  const { doc, contentHash, sourceVersion, sortKey, mappingVersion } = item
  return { ...shared, doc, contentHash, sourceVersion, sortKey, mappingVersion }
}

function isOlder(version: string | null, than: string | null): boolean {
  return version !== null && than !== null && version < than
}

function sameBytes(a: Uint8Array | null, b: Uint8Array): boolean {
  return a !== null && Buffer.compare(a, b) === 0
}

/** What is living and was not seen; null when a record without an id came by, so that nothing can be called missing. */
export function missingIds(living: string[], seenPages: Uint8Array[]): string[] | null {
  const seen = new Set<bigint>()
  for (const page of seenPages) {
    const bytes = Buffer.from(page)
    for (let at = 0; at < bytes.length; at += 8) seen.add(bytes.readBigUInt64BE(at))
  }
  if (seen.has(UNKNOWN_ID.readBigUInt64BE(0))) return null
  return living.filter((id) => !seen.has(idPrefix(id).readBigUInt64BE(0)))
}

function idPrefix(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', '').slice(0, 16), 'hex')
}

function countWord(words: Map<string, UnmappedWord>, entity: Entity, field: string, word: string): void {
  const key = `${entity}\n${field}\n${word}`
  const known = words.get(key)
  if (known) known.count += 1
  else if (words.size < MAX_WORDS) words.set(key, { entity, field, word: word.slice(0, 100), count: 1 })
}
