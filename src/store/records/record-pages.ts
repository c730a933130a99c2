import type { Entity } from '../../model/catalogue.ts'
import { type Database, readRows } from '../db/database.ts'
import { type Columns, type Selection, toCondition, toOrder } from '../db/list-selection.ts'
import { toPublicationKey } from './publication-key.ts'
import type { Publication } from './publications.ts'
import { inRecordSet, type RecordScope, visibleFrom } from './records.ts'

/** Which versions of the records to read. */
export interface RecordView {
  /** As published at this instant; default: now. */
  asOf?: Date
  /** Only records whose visible version is from this instant or later. */
  modifiedSince?: Date
  /** Include deleted records, marked as such. */
  includeDeleted?: boolean
}

export interface RecordPage {
  publication: Publication
  /** Time of the publication shown; with `asOf` of the one current then, null when there was none. */
  shownPublishedAt: Date | null
  /** JSON texts in list order. Copy them: they are overwritten after `write` has returned. */
  documents: readonly Buffer[]
  /** Total over all pages. */
  total: number
}

/** Name of the default order of a list (number and name, or date). */
export const NATURAL_ORDER = 'natural'

/** First byte of a document, which distinguishes it from other rows. */
export const DOCUMENT_START = '{'.charCodeAt(0)

/**
 * Reads one page of a company's records at one service, with its publication, in one snapshot; returns the result of
 * `write`. Null when nothing has been published there.
 */
export async function readRecordPage<T>(
  database: Database,
  scope: RecordScope,
  entity: Entity,
  selection: Selection,
  view: RecordView,
  columns: Columns,
  write: (page: RecordPage) => T,
): Promise<T | null> {
  const values: unknown[] = [toPublicationKey(scope), scope.instanceId, scope.companyId, scope.serviceId, entity]
  const shownFrom = visibleFrom(database, 'r', ['$2', '$3', '$4'])
  const condition = [...viewConditions(view, shownFrom, values), toCondition(selection.filter, columns, values)]
    .filter((c) => c !== 'true')
    .join(' and ')
  const isPlain = selection.filter.length === 0 && !view.asOf && !view.modifiedSince && !view.includeDeleted
  // Of a filter the planner does not know how many records it leaves: in order it might read all of them one by one.
  const isInOrder = isPlain && selection.orderBy === NATURAL_ORDER
  const order =
    selection.orderBy === NATURAL_ORDER
      ? `order by r.sort_key ${direction(selection)}, r.id ${direction(selection)} limit $${values.push(selection.limit)} offset $${values.push(selection.offset)}`
      : toOrder(selection, columns, 'r.id', values)
  const from = `from record_versions r
       where ${inRecordSet('r', { first: 2, entity: '$5', isWhole: isInOrder && !database.isDistributed })} and ${condition || 'true'}`
  const publishedAt = view.asOf ? publishedBy(shownFrom, `$${values.push(view.asOf)}`) : 'published_at'
  const text = `select concat_ws(' ', version, extract(epoch from published_at) * 1000,
       coalesce((extract(epoch from ${publishedAt}) * 1000)::text, '${NEVER}'), accounts, transactions${isPlain ? '' : `, (select count(*) ${from})`})
     from publications where key = $1 and company_id = $3
     union all (select r.doc ${from} ${order})`
  const name = isInOrder ? `record-page-${direction(selection)}` : undefined
  return await readRows(database, { ...(name ? { name } : {}), text, values }, (rows) => {
    // The two parts of the union come in no particular order.
    const first = rows.find((row) => row[0] !== DOCUMENT_START)
    if (!first) return null
    const { publication, shownPublishedAt, counted } = toPublication(first.toString())
    const total = counted ?? publication[entity === 'Accounts' ? 'accounts' : 'transactions']
    return write({ publication, shownPublishedAt, documents: rows.filter((row) => row !== first), total })
  })
}

/** Placeholder for no time. */
const NEVER = 'never'

/**
 * Time of the publication current at `at`: each publication created a record version, except a first one without
 * records. Uses the parameters of `readRecordPage`.
 */
function publishedBy(shownFrom: string, at: string): string {
  const shown = `select max(${shownFrom}) from record_versions r where r.instance_id = $2 and r.company_id = $3 and r.service_id = $4
    and r.record_set = any (record_set_keys($3, $4)) and ${shownFrom} <= ${at}`
  return `coalesce((${shown}), case when published_at <= ${at} then published_at end)`
}

function toPublication(text: string): Pick<RecordPage, 'publication' | 'shownPublishedAt'> & { counted: number | null } {
  const [version = '', publishedMs, shownMs, accounts, transactions, counted] = text.split(' ')
  return {
    publication: { version, publishedAt: new Date(Number(publishedMs)), accounts: Number(accounts), transactions: Number(transactions) },
    shownPublishedAt: shownMs === NEVER ? null : new Date(Number(shownMs)),
    counted: counted === undefined ? null : Number(counted),
  }
}

/** Uses the parameters of `readRecordPage`. */
function viewConditions(view: RecordView, shownFrom: string, values: unknown[]): string[] {
  const conditions: string[] = []
  if (view.asOf) {
    const at = `$${values.push(view.asOf)}`
    conditions.push(`${shownFrom} <= ${at} and (r.valid_to is null or r.valid_to > ${at})`)
  } else {
    conditions.push('r.valid_to is null')
  }
  if (!view.includeDeleted) conditions.push('not r.deleted')
  if (view.modifiedSince) conditions.push(`${shownFrom} >= $${values.push(view.modifiedSince)}`)
  return conditions
}

function direction(selection: Selection): 'asc' | 'desc' {
  return selection.descending ? 'desc' : 'asc'
}
