import { setImmediate } from 'node:timers/promises'
import type { Answers, Connector, Pull, SourceItem } from '../../connectors/contract/contract.ts'
import type { Source } from '../../connectors/sources.ts'
import type { Entity } from '../../model/catalogue.ts'
import type { SyncRun, UnmappedWord } from '../../store/connections/sync-runs.ts'
import type { Db } from '../../store/db/database.ts'
import { deleteFirstRecords, writeFirstRecords } from '../../store/records/first-records.ts'
import { type QuarantinedRecord, quarantineRecords } from '../../store/records/quarantine.ts'
import { listCurrentHashes } from '../../store/records/records.ts'
import { type StagedColumns, type StagedRecord, stageRecords, toColumns, unstageRecords } from '../../store/records/staged-records.ts'
import { isOlder, type NormalizedItem, type NormalizeScope, normalizeItems } from './normalize.ts'
import { Pipeline } from './pipeline.ts'
import { readItems } from './read-items.ts'
import { addCounts, countWord, countWords } from './run-progress.ts'

/** Records compared and written per batch: bounds memory for any page size. */
const BATCH = 1_000
/**
 * Records normalized per slice. NOTE a statement is larger than a socket's buffer: the rest is sent only when this
 * process yields.
 */
const SLICE = 20
/** Placeholder in a page's seen ids for a record without an id: then no record can be called missing. */
export const UNKNOWN_ID = Buffer.alloc(8)

export interface StagingRequest {
  run: SyncRun
  source: Pick<Source, 'files' | 'description'>
  connector: Connector
  pull: Pull
  answers: Answers
  rawPageId: string
  scope: NormalizeScope & { instanceId: string }
  /** First run of a connection: there is nothing to compare with, and records are inserted directly. */
  isFirst?: boolean
}

/**
 * Normalizes a page and stages what differs from the published records; updates the run's counts. Part of the page's
 * transaction.
 */
export async function stagePage(db: Db, request: StagingRequest): Promise<Uint8Array> {
  const staging = new PageStaging(request)
  await staging.readFirst()
  await staging.write(db)
  return staging.seen
}

/** Batch of a page's records, per entity the last version of each, prepared as far as possible without the database. */
interface Batch {
  setAside: QuarantinedRecord[]
  entities: { entity: Entity; records: StagedRecord[]; new: StagedColumns | null }[]
}

/** Page being staged, batch by batch. */
export class PageStaging {
  readonly #request: StagingRequest
  readonly #raw: AsyncGenerator<Iterable<SourceItem>, void>
  #items: Iterator<NormalizedItem> = [][Symbol.iterator]()
  /** Number of records normalized before those of `#items`. */
  #before = 0
  readonly #words = new Map<string, UnmappedWord>()
  /** Of each batch. */
  readonly #seen: Buffer[] = []
  #batch: Batch | null = null

  constructor(request: StagingRequest) {
    const { source, connector, pull, answers } = request
    this.#request = request
    this.#raw = readItems(source, connector, pull, answers)
  }

  /** Normalizes the first batch, so that it is ready when the database is. Closes the page when it cannot be read. */
  async readFirst(): Promise<void> {
    this.#batch = await this.#readBatch()
  }

  /** Ends the reading of a page that was not read completely. */
  async close(): Promise<void> {
    await this.#raw.return()
  }

  /**
   * Stages the page after `readFirst`: while the database works on a batch, the next is normalized. Leaves no work in
   * flight, also when it throws.
   */
  async write(db: Db): Promise<void> {
    const writes = new Pipeline()
    while (this.#batch) {
      await stageBatch(db, this.#request, this.#batch, writes)
      this.#batch = await writes.beside(() => this.#readBatch())
    }
    countWords(this.#request.run, this.#words.values())
  }

  /** Eight bytes per record seen on the page, once it is written. */
  get seen(): Uint8Array {
    return Buffer.concat(this.#seen)
  }

  async #readBatch(): Promise<Batch | null> {
    const batch: NormalizedItem[] = []
    const seen: Buffer[] = []
    while (batch.length < BATCH) {
      if (batch.length % SLICE === 0) await setImmediate()
      const { value, done } = this.#items.next()
      if (done) {
        if (await this.#readMore()) continue
        break
      }
      this.#before += 1
      if (value.id === null) seen.push(UNKNOWN_ID)
      else if (!('removed' in value)) seen.push(idPrefix(value.id))
      batch.push(value)
    }
    this.#seen.push(Buffer.concat(seen))
    return batch.length > 0 ? toBatch(this.#request, batch) : null
  }

  /** False at the end of the page. */
  async #readMore(): Promise<boolean> {
    const { value, done } = await this.#raw.next()
    if (done) return false
    const { connector, scope } = this.#request
    const count = (entity: Entity, field: string, word: string) => countWord(this.#words, { entity, field, word })
    this.#items = normalizeItems(connector, value, scope, count, this.#before)
    return true
  }
}

function toBatch(request: StagingRequest, items: NormalizedItem[]): Batch {
  const setAside: QuarantinedRecord[] = []
  const byEntity = new Map<Entity, Map<string, StagedRecord>>()
  for (const item of items) {
    if ('reason' in item) {
      setAside.push({ ...item, origId: item.origId ?? `#${request.rawPageId}/${item.rawIndex}`, rawPageId: request.rawPageId })
      continue
    }
    const records = byEntity.get(item.entity) ?? new Map<string, StagedRecord>()
    byEntity.set(item.entity, records)
    const record = toStaged(item)
    const earlier = records.get(record.id)
    if (!earlier || !isOlder(record.sourceVersion, earlier.sourceVersion)) records.set(record.id, record)
  }
  const entities = [...byEntity].map(([entity, byId]) => {
    const records = [...byId.values()]
    return { entity, records, new: request.isFirst ? toColumns(records.filter(({ doc }) => doc !== null)) : null }
  })
  return { setAside, entities }
}

/** Stages a batch; its last write is still in flight. */
async function stageBatch(db: Db, request: StagingRequest, { setAside, entities }: Batch, writes: Pipeline): Promise<void> {
  const { run } = request
  addCounts(run, { setAside: setAside.length })
  await quarantineRecords(db, run, setAside)
  for (const { entity, records, new: columns } of entities) {
    await writes.drain()
    await stageEntity(db, request, entity, records, columns, writes)
  }
}

/** `columns`: the records' columns where nothing was published before. */
async function stageEntity(
  db: Db,
  request: StagingRequest,
  entity: Entity,
  records: StagedRecord[],
  columns: StagedColumns | null,
  writes: Pipeline,
): Promise<void> {
  const { run, scope } = request
  const ids = records.map((record) => record.id)
  const known = request.isFirst ? [] : await listCurrentHashes(db, scope, entity, ids, run.connectionId)
  const current = new Map(known.map((row) => [row.id, row]))
  const changed: StagedRecord[] = []
  const same: StagedRecord[] = []
  for (const record of records) {
    const published = current.get(record.id)
    // So that an older page of the same run does not undo the removal.
    if (record.doc === null) record.sourceVersion ??= published?.sourceVersion ?? null
    const isSame = published
      ? isOlder(record.sourceVersion, published.sourceVersion) ||
        (record.doc === null ? published.deleted : !published.deleted && sameBytes(record.contentHash, published.contentHash))
      : record.doc === null
    if (isSame) same.push(record)
    else changed.push(record)
  }
  addCounts(run, { records: records.length })
  if (run.counts.changed > 0 && same.length > 0) {
    const sameIds = same.map(({ id }) => id)
    if (request.isFirst) await deleteFirstRecords(db, scope, entity, sameIds)
    else await unstageRecords(db, run, entity, same)
  }
  addCounts(run, { changed: changed.length })
  const mappingVersion = request.connector.entities[entity]?.map.version ?? 0
  const { instanceId, companyId, id: runId } = run
  const share = { instanceId, companyId, runId, entity, rawPageId: request.rawPageId, mappingVersion }
  await writes.start(() =>
    columns
      ? writeFirstRecords(db, { ...share, serviceId: scope.serviceId, connectionId: run.connectionId }, columns)
      : stageRecords(db, { ...share, seq: run.page }, toColumns(changed)),
  )
}

function toStaged(item: Exclude<NormalizedItem, { reason: string }>): StagedRecord {
  const { origId, id, rawIndex } = item
  if ('removed' in item) return { origId, id, doc: null, contentHash: null, sourceVersion: null, sortKey: '', rawIndex }
  const { doc, contentHash, sourceVersion, sortKey } = item
  return { origId, id, doc, contentHash, sourceVersion, sortKey, rawIndex }
}

function sameBytes(a: Uint8Array | null, b: Uint8Array): boolean {
  return a !== null && Buffer.compare(a, b) === 0
}

/** Records seen on the pages of complete listings. */
export function readSeen(seenPages: Uint8Array[]): Set<bigint> {
  const seen = new Set<bigint>()
  for (const page of seenPages) {
    const bytes = Buffer.from(page)
    for (let at = 0; at < bytes.length; at += 8) seen.add(bytes.readBigUInt64BE(at))
  }
  return seen
}

export function isSeen(seen: ReadonlySet<bigint>, id: string): boolean {
  return seen.has(idPrefix(id).readBigUInt64BE(0))
}

/** Eight bytes of an id, as stored for the records seen on a page; in id order. */
export function idPrefix(id: string): Buffer {
  return Buffer.from(id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18), 'hex')
}
