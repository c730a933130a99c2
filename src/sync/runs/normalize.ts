import { hash } from 'node:crypto'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import type { Answers, Connector, EntityMapping, Pull, SourceItem } from '../../connectors/contract/contract.ts'
import { type MapContext, type NormalizedRecord, toRecord } from '../../connectors/contract/mapping.ts'
import { type Category, type Entity, toRecordId } from '../../model/catalogue.ts'
import { type BodyPrinter, bodyPrinter, documentPrinter } from '../../model/records/documents.ts'
import { RECORD_SCHEMAS } from '../../model/records/record-schemas.ts'
import { toPlainTimestamp } from '../../model/values/timestamps.ts'

/** Scope and start of a normalization; the same scope and page always yield the same bytes. */
export interface NormalizeScope {
  companyId: string
  serviceId: string
  serviceName: string
  category: Category
  fetchedAt: Date
  /** Records that keep an earlier id; absent where there are none. */
  aliases?: Aliases
}

/** Id and origId that a record keeps although the source has renamed it. */
export type Aliases = (entity: Entity, origId: string) => { id: string; keptOrigId: string } | undefined

export type NormalizedItem =
  | {
      entity: Entity
      origId: string
      id: string
      doc: string
      contentHash: Uint8Array
      sourceVersion: string | null
      sortKey: string
      rawIndex: number
      mappingVersion: number
    }
  | { entity: Entity; origId: string; id: string; removed: true; rawIndex: number }
  /** Quarantined; `origId` null when not even that could be read. */
  | { entity: Entity; origId: string | null; id: string | null; reason: string; rawIndex: number }

/** Called for each value that a mapping does not know. */
export type OnUnmapped = (entity: Entity, field: string, word: string) => void

/** Whether a version that the source gave a record precedes another one. */
export function isOlder(version: string | null, than: string | null): boolean {
  return version !== null && than !== null && version < than
}

/** Reads a stored page and normalizes its records one by one. Pure: no clock, network or store. */
export function normalizePage(
  connector: Connector,
  pull: Pull,
  answers: Answers,
  scope: NormalizeScope,
  onUnmapped: OnUnmapped,
): Generator<NormalizedItem> {
  return normalizeItems(connector, pull.read(answers), scope, onUnmapped)
}

/** Normalizes records of a page one by one; `before` counts the records preceding them. */
export function* normalizeItems(
  connector: Connector,
  items: Iterable<SourceItem>,
  scope: NormalizeScope,
  onUnmapped: OnUnmapped,
  before = 0,
): Generator<NormalizedItem> {
  const { serviceId, serviceName, fetchedAt } = scope
  const print = documentPrinter({ serviceId, serviceName, lastUpdatedOn: toPlainTimestamp(fetchedAt) })
  const printers = new Map<Entity, BodyPrinter>()
  let rawIndex = before - 1
  for (const item of items) {
    rawIndex += 1
    const { entity } = item
    if ('unreadable' in item) {
      const id = item.origId === null ? null : idOf(scope, entity, item.origId)
      yield { entity, origId: item.origId, id, reason: item.unreadable, rawIndex }
      continue
    }
    const id = idOf(scope, entity, item.origId)
    if ('removed' in item) {
      yield { entity, origId: item.origId, id, removed: true, rawIndex }
      continue
    }
    const mapping = entityMapping(connector, entity)
    const outcome = normalizeRecord(mapping, item.wire, {
      fetchedAt: scope.fetchedAt,
      unmapped: (field, word) => onUnmapped(entity, field, word),
    })
    if ('reason' in outcome) {
      yield { entity, origId: item.origId, id, reason: outcome.reason, rawIndex }
      continue
    }
    const record = keepNames(outcome.record, entity, item.origId, scope.aliases)
    const printBody = printers.get(entity) ?? bodyPrinter(RECORD_SCHEMAS[scope.category][entity], mapping.map.observed)
    printers.set(entity, printBody)
    const body = printBody(id, record)
    yield {
      entity,
      origId: item.origId,
      id,
      doc: print(body.json),
      contentHash: toContentHash(body.compared),
      sourceVersion: item.version ?? null,
      sortKey: body.sortKey.slice(0, 300),
      rawIndex,
      mappingVersion: mapping.map.version,
    }
  }
}

/** The first 16 bytes of SHA-256. NOTE a digest that Node returns as bytes takes twice as long, and memory outside the heap. */
function toContentHash(text: string): Uint8Array {
  return Buffer.from(hash('sha256', text, 'latin1').slice(0, 16), 'latin1')
}

function idOf(scope: NormalizeScope, entity: Entity, origId: string): string {
  return scope.aliases?.(entity, origId)?.id ?? toRecordId(scope.companyId, scope.serviceId, entity, origId)
}

/** Restores the ids that readers know, of a record and of a transaction's account. */
export function keepNames(record: NormalizedRecord, entity: Entity, origId: string, aliases: Aliases | undefined): NormalizedRecord {
  const own = aliases?.(entity, origId)
  const account = 'accountOrigId' in record ? aliases?.('Accounts', record.accountOrigId) : undefined
  if (!own && !account) return record
  return { ...record, ...(own ? { origId: own.keptOrigId } : {}), ...(account ? { accountOrigId: account.keptOrigId } : {}) }
}

function entityMapping(connector: Connector, entity: Entity): EntityMapping {
  const mapping = connector.entities[entity]
  if (!mapping) throw new Error(`the connector delivers ${entity} but has no mapping for them`)
  return mapping
}

/** Counted as an unmapped word: an amount is of little use without its currency. */
const NO_CURRENCY = 'none told'

/** Validates one wire record and runs the mapping over it. */
function normalizeRecord(mapping: EntityMapping, wire: unknown, context: MapContext): { record: NormalizedRecord } | { reason: string } {
  const fault = findShapeFault(mapping, wire)
  if (fault !== null) return { reason: fault }
  const record: Record<string, unknown> = {}
  let isCurrencyCounted = false
  const counting: MapContext = {
    fetchedAt: context.fetchedAt,
    unmapped: (field, word) => {
      isCurrencyCounted ||= field === 'currency'
      context.unmapped(field, word)
    },
  }
  for (const [field, read] of Object.entries(mapping.map.fields)) {
    try {
      record[field] = read(wire, counting)
    } catch (error) {
      return { reason: `${field}: ${toRefusal(error)}` }
    }
  }
  if (record.currency === '' && !isCurrencyCounted) context.unmapped('currency', NO_CURRENCY)
  return { record: toRecord(record) }
}

/** A RangeError is the mapping's own sentence; other errors may quote the record. */
export function toRefusal(error: unknown): string {
  return error instanceof RangeError ? error.message : 'the mapping failed'
}

/** Shape fault of a wire record; null when there is none. */
export function findShapeFault(mapping: EntityMapping, wire: unknown): string | null {
  const validator = validatorOf(mapping.wire)
  if (validator.Check(wire)) return null
  const [first] = validator.Errors(wire)
  return first ? `${first.instancePath || 'record'}: ${first.message}` : 'the record has an unexpected shape'
}

const validators = new WeakMap<TSchema, Validator>()

function validatorOf(schema: TSchema): Validator {
  const known = validators.get(schema)
  if (known) return known
  const validator = Compile(schema)
  validators.set(schema, validator)
  return validator
}
