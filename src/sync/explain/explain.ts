import {
  type Answers,
  type Connector,
  type EntityMapping,
  type Pull,
  SourceError,
  type SourceItem,
} from '../../connectors/contract/contract.ts'
import { toRecord } from '../../connectors/contract/mapping.ts'
import type { Source } from '../../connectors/sources.ts'
import { type Entity, toRecordId } from '../../model/catalogue.ts'
import { bodyPrinter } from '../../model/records/documents.ts'
import { completeDocument } from '../../model/records/later-fields.ts'
import { RECORD_SCHEMAS } from '../../model/records/record-schemas.ts'
import { type Json, parseJson } from '../../model/values/json.ts'
import { isUuid } from '../../model/values/uuid.ts'
import type { Db } from '../../store/db/database.ts'
import { findPublication } from '../../store/records/publications.ts'
import { findRecordVersion, type RecordVersion } from '../../store/records/record-history.ts'
import type { RecordScope } from '../../store/records/records.ts'
import { loadAliases } from '../runs/aliases.ts'
import { type Aliases, findShapeFault, keepNames, toRefusal } from '../runs/normalize.ts'
import type { PageReader } from '../runs/raw-page-store.ts'
import { readItems } from '../runs/read-items.ts'
import type { Service } from '../sources/catalogue.ts'
import { type RawRead, watchReads } from './explain-reads.ts'
import { describeRule, type FieldRule } from './explain-rules.ts'
import { maskedPaths, maskRead, type Visibility } from './explain-values.ts'
import { readStoredPage } from './stored-page.ts'

/** Explanation: how each field of a published record was derived. */
export interface Explanation {
  version: RecordVersion
  connector: string
  /** Null when the record has none; `receivedAt` null when the page no longer exists. */
  rawPage: { id: string; index: number; pull: string | null; receivedAt: Date | null } | null
  current: CurrentMapping
  fields: ExplainedField[]
}

/** Result of the current version's mapping for the same raw record. */
export interface CurrentMapping {
  version: number
  gives: 'same' | 'different' | 'refused' | 'unknown'
  /** Why it is refused or unknown. */
  reason: string | null
}

export interface ExplainedField {
  field: string
  /** As published. */
  result: Json
  /** Null where the raw record can no longer be read. */
  rule: FieldRule | null
  raw: RawRead[]
  isSameNow: boolean
  /** Result of the current mapping; equal to `result` when unknown. */
  resultNow: Json
}

const ENGINE_RULES: Readonly<Record<string, string>> = {
  id: 'worked out from company, service, entity and origId: the same for ever',
  serviceId: 'the service that was asked for',
  serviceName: 'the name of the service',
  lastUpdatedOn: 'when the raw page was received, or when the source no longer had the record',
  isDeleted: 'whether the source still has the record',
}
const STATUS_FIELDS: ReadonlySet<string> = new Set(['statusSystem', 'accountStatusSystem', 'isDeleted'])
const KEPT_RULE = 'the id under which readers met it first; the source has given it another since'
const DELETED_RULE = 'the source no longer has the record'

/**
 * Explains a record from its stored raw page, by running the mapping over a recording proxy. `recordId` is the
 * normalized id or the source's own id. Null when no such record is published.
 */
export async function explainRecord(
  db: Db,
  reader: PageReader,
  scope: RecordScope,
  service: Service,
  wanted: { entity: Entity; recordId: string; asOf: Date | null },
): Promise<Explanation | null> {
  const { entity, recordId, asOf } = wanted
  if (!(await findPublication(db, scope))) return null
  const given = isUuid(recordId.toLowerCase()) ? [recordId.toLowerCase()] : []
  const ids = [...given, toRecordId(scope.companyId, scope.serviceId, entity, recordId)]
  const version = await findRecordVersion(db, scope, { entity, ids, asOf })
  const connector = await service.source.load()
  const mapping = connector.entities[entity]
  if (!version || !mapping) return null
  const stored = version.rawPageId === null ? null : await readStoredPage(db, reader, { ...scope, id: version.rawPageId })
  const page = stored && 'answers' in stored ? stored : null
  const wire = page
    ? await findWire(service.source, connector, page, entity, version)
    : { fault: stored && 'fault' in stored ? stored.fault : 'the raw page is no longer kept' }
  const aliases =
    page && !('fault' in wire)
      ? await loadAliases(db, scope, () => readItems(service.source, connector, wire.pull, page.answers))
      : undefined
  const applied = 'fault' in wire ? [] : applyMapping(mapping, wire.wire, page?.fetchedAt ?? version.validFrom)
  const fault =
    'fault' in wire ? wire.fault : (findShapeFault(mapping, wire.wire) ?? applied.find(({ refusal }) => refusal !== null)?.refusal ?? null)
  const fields = explainFields({ service, entity, version, applied, aliases, isMapped: applied.length > 0 && fault === null })
  return {
    version,
    connector: service.source.description.key,
    rawPage:
      version.rawPageId === null
        ? null
        : { id: version.rawPageId, index: version.rawIndex, pull: page?.pull ?? null, receivedAt: page?.fetchedAt ?? null },
    current: { version: mapping.map.version, ...verdictOf(applied, fault, fields) },
    fields,
  }
}

function verdictOf(applied: AppliedField[], fault: string | null, fields: ExplainedField[]): Pick<CurrentMapping, 'gives' | 'reason'> {
  if (fault !== null) return { gives: applied.length > 0 ? 'refused' : 'unknown', reason: fault }
  return { gives: fields.every(({ isSameNow }) => isSameNow) ? 'same' : 'different', reason: null }
}

/** Record at its index in the page, or at its new index if the reader has changed. */
async function findWire(
  source: Source,
  connector: Connector,
  page: { answers: Answers; pull: string },
  entity: Entity,
  version: RecordVersion,
): Promise<{ wire: unknown; pull: Pull } | { fault: string }> {
  const pull = connector.pulls.find(({ name }) => name === page.pull)
  if (!pull) return { fault: 'the connector no longer reads pages of this kind' }
  try {
    let elsewhere: { wire: unknown; pull: Pull } | null = null
    let index = -1
    for await (const items of readItems(source, connector, pull, page.answers)) {
      for (const item of items) {
        index += 1
        if (!isOf(item, entity, version.origId)) continue
        if (index === version.rawIndex) return { wire: item.wire, pull }
        elsewhere ??= { wire: item.wire, pull }
      }
    }
    return elsewhere ?? { fault: 'the connector no longer finds the record in its raw page' }
  } catch (error) {
    if (error instanceof SourceError) return { fault: 'the connector can no longer read the raw page' }
    throw error
  }
}

function isOf(item: SourceItem, entity: Entity, origId: string): item is Extract<SourceItem, { wire: unknown }> {
  return 'wire' in item && item.entity === entity && item.origId === origId
}

interface AppliedField {
  field: string
  result: unknown
  refusal: string | null
  reads: RawRead[]
  unknownWords: string[]
  code: string
}

/** Runs each mapping function over a recording proxy of the record; exported for comparison with the plain run. */
export function applyMapping(mapping: EntityMapping, wire: unknown, fetchedAt: Date): AppliedField[] {
  return Object.entries(mapping.map.fields).map(([field, read]) => {
    const { view, listReads } = watchReads(wire, mapping.map.chosenBy)
    const unknownWords: string[] = []
    let result: unknown = null
    let refusal: string | null = null
    try {
      result = read(view, { fetchedAt, unmapped: (_field, word) => unknownWords.push(word) })
    } catch (error) {
      refusal = `${field}: ${toRefusal(error)}`
    }
    return { field, result, refusal, reads: listReads(), unknownWords, code: mapping.map.describe?.(field, wire) ?? String(read) }
  })
}

function explainFields(parts: {
  service: Service
  entity: Entity
  version: RecordVersion
  applied: AppliedField[]
  aliases: Aliases | undefined
  isMapped: boolean
}): ExplainedField[] {
  const { service, entity, version, applied, aliases, isMapped } = parts
  const schema = RECORD_SCHEMAS[service.category][entity]
  const published = parseObject(completeDocument(schema, version.doc))
  const now = isMapped ? { ...published, ...currentBody(service, entity, version, applied, aliases) } : published
  const showing: Visibility = { published: new Set(Object.values(published).map(String)), masked: maskedPaths(applied) }
  const explained = new Map(applied.map((one) => [one.field, explainOne(service.source.description.name, one, showing)]))
  const sources = new Map(schema.properties.map(({ name, source }) => [name, source]))
  return Object.entries(published).map(([field, result]) => {
    const resultNow = now[field] ?? null
    const isSameNow = JSON.stringify(result) === JSON.stringify(resultNow)
    const isEngines = field in ENGINE_RULES || (version.deleted && STATUS_FIELDS.has(field))
    if (isEngines) {
      const text = version.deleted && STATUS_FIELDS.has(field) ? DELETED_RULE : (ENGINE_RULES[field] ?? '')
      return { field, result, rule: { kind: 'engine', text, code: null }, raw: [], isSameNow, resultNow }
    }
    if (isKeptName(field, applied, aliases, entity)) {
      const raw = explained.get(field)?.raw ?? []
      return { field, result, rule: { kind: 'engine', text: KEPT_RULE, code: null }, raw, isSameNow, resultNow }
    }
    const how = explained.get(sources.get(field) ?? '')
    return { field, result, rule: how?.rule ?? null, raw: how?.raw ?? [], isSameNow, resultNow }
  })
}

/** Whether the source uses another id for the record, or for the account of a transaction, than before a reconnect. */
function isKeptName(field: string, applied: AppliedField[], aliases: Aliases | undefined, entity: Entity): boolean {
  if (!aliases || (field !== 'origId' && field !== 'accountOrigId')) return false
  const named = applied.find((one) => one.field === field)?.result
  return aliases(field === 'origId' ? entity : 'Accounts', String(named)) !== undefined
}

function explainOne(connector: string, applied: AppliedField, showing: Visibility): { rule: FieldRule; raw: RawRead[] } {
  const raw = applied.reads.map((read) => maskRead(read, showing))
  const unknownWords = applied.unknownWords.map((word) => String(maskRead({ path: '', found: 'value', value: word }, showing).value))
  return { rule: describeRule({ ...applied, connector, reads: raw, unknownWords }), raw }
}

/** Body that would be published for the record now, without the common fields; marked deleted if it is deleted. */
function currentBody(
  service: Service,
  entity: Entity,
  version: RecordVersion,
  applied: AppliedField[],
  aliases: Aliases | undefined,
): Record<string, Json> {
  const mapped = toRecord(Object.fromEntries(applied.map(({ field, result }) => [field, result])))
  const record = keepNames(mapped, entity, version.origId, aliases)
  const body = parseObject(bodyPrinter(RECORD_SCHEMAS[service.category][entity])(version.id, record).json)
  if (!version.deleted) return body
  for (const field of STATUS_FIELDS) if (field in body) body[field] = field === 'isDeleted' ? true : 'DELETED'
  return body
}

function parseObject(text: string): Record<string, Json> {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('a document is no object')
  return value
}
