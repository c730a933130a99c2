import { createHash } from 'node:crypto'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import type { Answers, Connector, EntityMapping, MapContext, NormalizedRecord, Pull } from '../connectors/contract.ts'
import { type Category, type Entity, toRecordId } from '../model/catalogue.ts'
import { toDocument, toDocumentBody } from '../model/documents.ts'
import { toPlainTimestamp } from '../model/timestamps.ts'

/** For whom and from when a page is normalized; the same scope and page always give the same bytes. */
export interface NormalizeScope {
  companyId: string
  serviceId: string
  serviceName: string
  category: Category
  fetchedAt: Date
}

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
  /** Set aside; `origId` null when not even that could be read. */
  | { entity: Entity; origId: string | null; id: string | null; reason: string; rawIndex: number }

/** Called for each word that a mapping does not know. */
export type OnUnmapped = (entity: Entity, field: string, word: string) => void

/** Reads a stored page and normalizes its records one by one. Pure: no clock, no network, no store. */
export function* normalizePage(
  connector: Connector,
  pull: Pull,
  answers: Answers,
  scope: NormalizeScope,
  onUnmapped: OnUnmapped,
): Generator<NormalizedItem> {
  let rawIndex = -1
  for (const item of pull.read(answers)) {
    rawIndex += 1
    const { entity } = item
    if ('unreadable' in item) {
      const id = item.origId === null ? null : toRecordId(scope.companyId, scope.serviceId, entity, item.origId)
      yield { entity, origId: item.origId, id, reason: item.unreadable, rawIndex }
      continue
    }
    const id = toRecordId(scope.companyId, scope.serviceId, entity, item.origId)
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
    const body = toDocumentBody(scope.category, entity, id, outcome.record)
    yield {
      entity,
      origId: item.origId,
      id,
      doc: toDocument(
        { serviceId: scope.serviceId, serviceName: scope.serviceName, lastUpdatedOn: toPlainTimestamp(scope.fetchedAt) },
        body.json,
      ),
      contentHash: createHash('sha256').update(body.json).digest().subarray(0, 16),
      sourceVersion: item.version ?? null,
      sortKey: body.sortKey.slice(0, 300),
      rawIndex,
      mappingVersion: mapping.map.version,
    }
  }
}

function entityMapping(connector: Connector, entity: Entity): EntityMapping {
  const mapping = connector.entities[entity]
  if (!mapping) throw new Error(`the connector delivers ${entity} but has no mapping for them`)
  return mapping
}

/** Checks one wire record and runs the mapping over it. */
function normalizeRecord(mapping: EntityMapping, wire: unknown, context: MapContext): { record: NormalizedRecord } | { reason: string } {
  const validator = validatorOf(mapping.wire)
  if (!validator.Check(wire)) {
    const [first] = validator.Errors(wire)
    return { reason: first ? `${first.instancePath || 'record'}: ${first.message}` : 'the record has an unexpected shape' }
  }
  const record: Record<string, unknown> = {}
  for (const [field, read] of Object.entries(mapping.map.fields)) {
    try {
      record[field] = read(wire as never, context)
    } catch (error) {
      // A RangeError is the mapping's own plain sentence; other errors may quote the record.
      return { reason: `${field}: ${error instanceof RangeError ? error.message : 'the mapping failed'}` }
    }
  }
  return { record: record as unknown as NormalizedRecord }
}

const validators = new WeakMap<TSchema, Validator>()

function validatorOf(schema: TSchema): Validator {
  const known = validators.get(schema)
  if (known) return known
  const validator = Compile(schema)
  validators.set(schema, validator)
  return validator
}
