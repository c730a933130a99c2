import type { Faults } from '../../kit/faults.ts'
import type { Reply } from '../../kit/http/response.ts'
import type { Row } from '../data/chart.ts'
import type { FaultName } from '../faults.ts'
import { apiError, jsonReply } from './replies.ts'

const MOST_ROWS = 200
const USUAL_ROWS = 20

/** One page of a list in Sage's envelope. Without `attributes=all`, only id, name and path are returned. */
export function listReply(path: string, query: URLSearchParams, rows: readonly Row[], faults: Faults<FaultName>): Reply {
  const page = readNumber(query.get('page'), 1)
  const perPage = readNumber(query.get('items_per_page'), USUAL_ROWS)
  if (page === null || perPage === null || perPage > MOST_ROWS) {
    return apiError(422, 'ValidationError', 'page must be 1 or more, items_per_page 1 to 200', 'items_per_page')
  }
  const selected = select(rows, query)
  const isRepeated = page > 1 && faults.take('repeatPage')
  const start = (page - (isRepeated ? 2 : 1)) * perPage
  const attributes = (query.get('attributes') ?? '').split(',')
  const items = selected.slice(start, start + perPage).map((row) => (attributes.includes('all') ? row : project(row, attributes)))
  if (faults.take('noEnvelope')) return jsonReply(200, items)
  const hasNext = page * perPage < selected.length && !faults.take('endsEarly')
  return jsonReply(
    200,
    toEnvelope(items, {
      total: selected.length,
      page,
      perPage,
      next: hasNext ? toPath(path, query, page + 1) : null,
      back: page > 1 ? toPath(path, query, page - 1) : null,
    }),
  )
}

/** An unpaged list, of any length. */
export function wholeListReply(items: readonly object[]): Reply {
  return jsonReply(200, toEnvelope(items, { total: items.length, page: 1, perPage: 2_147_483_647, next: null, back: null }))
}

function toEnvelope(
  items: readonly object[],
  at: { total: number; page: number; perPage: number; next: string | null; back: string | null },
): object {
  return { $total: at.total, $page: at.page, $next: at.next, $back: at.back, $items_per_page: at.perPage, $items: items }
}

/**
 * Filters that a ledger reader needs.
 * Source: https://developer.sage.com/accounting/reference/accounting-setup/#tag/Ledger-Accounts
 */
function select(rows: readonly Row[], query: URLSearchParams): Row[] {
  const since = Date.parse(query.get('updated_or_created_since') ?? '')
  const inChart = query.get('show_included_in_chart')
  const isControl = query.get('show_control_accounts')
  const type = query.get('ledger_account_type_id')
  return rows.filter(
    (row) =>
      (Number.isNaN(since) || Date.parse(String(row.updated_at)) >= since) &&
      (inChart === null || String(row.included_in_chart) === inChart) &&
      (isControl === null || String(row.is_control_account) === isControl) &&
      (type === null || Object(row.ledger_account_type).id === type),
  )
}

function project(row: Row, attributes: readonly string[]): Row {
  const kept = ['id', 'displayed_as', '$path', ...attributes]
  return { id: row.id, ...Object.fromEntries(Object.entries(row).filter(([name]) => kept.includes(name))) }
}

function toPath(path: string, query: URLSearchParams, page: number): string {
  const next = new URLSearchParams(query)
  next.set('page', String(page))
  return `${path}?${next}`
}

function readNumber(text: string | null, usual: number): number | null {
  if (text === null) return usual
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null
}
