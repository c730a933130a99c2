import type { Category, Entity } from '../../model/catalogue.ts'
import type { Property } from '../../model/records/record-schema.ts'
import { RECORD_SCHEMAS } from '../../model/records/record-schemas.ts'
import { FIRST_ID } from '../../model/values/first-id.ts'
import type { Db } from '../db/database.ts'
import { inRecordSet, type RecordScope, scopeValues } from './records.ts'

/** Coverage: how many of the published records of one entity have a value in each field. */
export interface Coverage {
  entity: Entity
  /** Instant of publication up to which records were counted. */
  countedUntil: Date
  total: number
  /** In document order. */
  filled: Record<string, number>
}

export interface CoverageKey extends RecordScope {
  category: Category
  entity: Entity
}

/** Counts of records with a value, or differences of such counts. */
export type CoverageCounts = Pick<Coverage, 'total' | 'filled'>

const SCOPE = inRecordSet('v')

type Fields = readonly Pick<Property, 'name' | 'kind'>[]

/** Counted fields: everything but the id, which every record has. */
function fieldsOf({ category, entity }: Pick<CoverageKey, 'category' | 'entity'>): Fields {
  return RECORD_SCHEMAS[category][entity].properties.filter(({ kind }) => kind !== 'id')
}

/** SQL: whether a field has a value; our own words for "unknown" count as none. */
function isFilled({ name, kind }: Fields[number]): string {
  const values = kind === 'enum' ? `, 'UNKNOWN', 'Unknown'` : ''
  return `d."${name}" not in (''${values})`
}

function counting(fields: Fields, one: string): string {
  return [
    `coalesce(sum(${one}), 0) as "total"`,
    ...fields.map((field) => `coalesce(sum(${one}) filter (where ${isFilled(field)}), 0) as "f.${field.name}"`),
  ].join(', ')
}

function parsed(fields: Fields): string {
  return `cross join lateral json_to_record(v.doc::json) as d (${fields.map(({ name }) => `"${name}" text`).join(', ')})`
}

/** Counts up to `limit` records as published at an instant, in id order after `after`; `last` is null at the end. */
export async function countCoverage(
  db: Db,
  key: CoverageKey,
  at: Date,
  after: string | null,
  limit: number,
): Promise<CoverageCounts & { last: string | null }> {
  const fields = fieldsOf(key)
  const { rows } = await db.query<Record<string, string>>(
    `select ${counting(fields, '1')}, max(v.id::text) as last
     from (select v.id, v.doc from record_versions v
       where ${SCOPE} and v.id > $6 and v.valid_from <= $5 and (v.valid_to is null or v.valid_to > $5) and not v.deleted
       order by v.id limit $7) v ${parsed(fields)}`,
    [...toValues(key), at, after ?? FIRST_ID, limit],
  )
  return { ...toCounts(rows[0], fields), last: rows[0]?.last ?? null }
}

/** Number of records that got a new version after `since` and until `until`, at most `most`. */
export async function countTouched(db: Db, key: CoverageKey, since: Date, until: Date, most: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from (
       select from record_versions v where ${SCOPE} and v.valid_from > $5 and v.valid_from <= $6 limit $7) touched`,
    [...toValues(key), since, until, most],
  )
  return rows[0]?.count ?? 0
}

/** Difference made by the versions between two instants. */
export async function countCoverageChange(db: Db, key: CoverageKey, since: Date, until: Date): Promise<CoverageCounts> {
  const fields = fieldsOf(key)
  const { rows } = await db.query<Record<string, string>>(
    `with touched as materialized (
       select distinct v.id from record_versions v where ${SCOPE} and v.valid_from > $5 and v.valid_from <= $6),
     changes as (
       select v.doc, case when v.valid_from <= $5 then -1 else 1 end as one
       from touched join record_versions v on ${SCOPE} and v.id = touched.id
       where not v.deleted and (v.valid_from <= $5 and (v.valid_to is null or v.valid_to > $5)
         or v.valid_from > $5 and v.valid_from <= $6 and (v.valid_to is null or v.valid_to > $6)))
     select ${counting(fields, 'v.one')} from changes v ${parsed(fields)}`,
    [...toValues(key), since, until],
  )
  return toCounts(rows[0], fields)
}

export async function saveCoverage(db: Db, key: CoverageKey, coverage: Omit<Coverage, 'entity'>): Promise<void> {
  await db.query(
    `insert into record_coverage as c (instance_id, company_id, service_id, entity, counted_until, total, filled)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (instance_id, company_id, service_id, entity) do update set counted_until = excluded.counted_until,
       total = excluded.total, filled = excluded.filled where c.counted_until <= excluded.counted_until`,
    [...toValues(key), coverage.countedUntil, coverage.total, JSON.stringify(coverage.filled)],
  )
}

/** Stored counts; empty before the first count. */
export async function listCoverage(db: Db, scope: RecordScope): Promise<Coverage[]> {
  const { rows } = await db.query<Omit<Coverage, 'total'> & { total: string }>(
    `select entity, counted_until as "countedUntil", total, filled from record_coverage
     where instance_id = $1 and company_id = $2 and service_id = $3 order by entity`,
    scopeValues(scope),
  )
  return rows.map((row) => ({ ...row, total: Number(row.total) }))
}

function toValues({ instanceId, companyId, serviceId, entity }: CoverageKey): string[] {
  return [instanceId, companyId, serviceId, entity]
}

function toCounts(row: Record<string, string> | undefined, fields: Fields): CoverageCounts {
  const number = (name: string): number => Number(row?.[name] ?? 0)
  return { total: number('total'), filled: Object.fromEntries(fields.map(({ name }) => [name, number(`f.${name}`)])) }
}
