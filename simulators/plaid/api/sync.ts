import type { Fields } from '../../kit/http/json-body.ts'
import { type Context, optionalText, requireHealthyItem, requireInteger } from '../context.ts'
import type { Item, Transaction } from '../state.ts'
import { invalidField, PlaidFailure } from './failures.ts'
import { toAccountView, toTransactionView } from './views.ts'

/** Position of a reader: it has seen all changes up to `since`, and `done` of those between `since` and `until`. */
interface Position {
  since: number
  until: number
  done: number
}

interface Change {
  kind: 'added' | 'modified' | 'removed'
  sequence: number
  entry: Transaction
}

const DEFAULT_COUNT = 100

export function syncTransactions(context: Context, body: Fields): Fields {
  const item = requireHealthyItem(context, body)
  const count = body.count === undefined ? DEFAULT_COUNT : requireInteger(body, 'count', 1, 500)
  const position = toPosition(item, readCursor(body))
  if (position.done > 0 && item.sequence !== position.until) {
    throw new PlaidFailure(
      400,
      'TRANSACTIONS_ERROR',
      'TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION',
      'underlying transaction data changed since last page was fetched. Please restart pagination from last update.',
    )
  }
  if (!item.synced) {
    item.synced = true
    context.save()
  }
  const changes = changesBetween(item, position.since)
  const page = changes.slice(position.done, position.done + count)
  const done = position.done + page.length
  const hasMore = done < changes.length
  return {
    transactions_update_status: 'HISTORICAL_UPDATE_COMPLETE',
    accounts: item.accounts.filter((account) => account.type !== 'investment').map(toAccountView),
    added: viewsOf(item, page, 'added'),
    modified: viewsOf(item, page, 'modified'),
    removed: page
      .filter((change) => change.kind === 'removed')
      .map(({ entry }) => ({ transaction_id: entry.id, account_id: entry.accountId })),
    next_cursor: toCursor(hasMore ? { ...position, done } : { since: position.until, until: position.until, done: 0 }),
    has_more: hasMore,
  }
}

export function isMidPagination(body: Fields): boolean {
  const cursor = typeof body.cursor === 'string' ? parseCursor(body.cursor) : null
  return cursor !== null && cursor.done > 0
}

/** The difference to the reader's last view: a transaction added and removed in between is not reported. */
function changesBetween(item: Item, since: number): Change[] {
  return item.transactions
    .flatMap((entry): Change[] => {
      const wasKnown = entry.addedAt <= since
      if (entry.removedAt !== null) {
        return wasKnown && entry.removedAt > since ? [{ kind: 'removed', sequence: entry.removedAt, entry }] : []
      }
      if (!wasKnown) return [{ kind: 'added', sequence: entry.modifiedAt ?? entry.addedAt, entry }]
      return entry.modifiedAt !== null && entry.modifiedAt > since ? [{ kind: 'modified', sequence: entry.modifiedAt, entry }] : []
    })
    .sort((a, b) => a.sequence - b.sequence)
}

function viewsOf(item: Item, page: readonly Change[], kind: Change['kind']): unknown[] {
  return page
    .filter((change) => change.kind === kind)
    .map(({ entry }) =>
      toTransactionView(
        item.accounts.find((account) => account.accountId === entry.accountId),
        entry,
      ),
    )
}

function readCursor(body: Fields): string | null {
  return body.cursor === '' ? null : optionalText(body, 'cursor')
}

function toPosition(item: Item, cursor: string | null): Position {
  if (cursor === null) return { since: 0, until: item.sequence, done: 0 }
  if (cursor === 'now') return { since: item.sequence, until: item.sequence, done: 0 }
  const position = parseCursor(cursor)
  if (!position) throw invalidField('cursor not associated with access_token')
  return position.done === 0 ? { ...position, until: item.sequence } : position
}

function toCursor(position: Position): string {
  return Buffer.from(`sync.${position.since}.${position.until}.${position.done}`).toString('base64')
}

function parseCursor(cursor: string): Position | null {
  const match = /^sync\.(\d{1,12})\.(\d{1,12})\.(\d{1,12})$/.exec(Buffer.from(cursor, 'base64').toString('utf8'))
  return match ? { since: Number(match[1]), until: Number(match[2]), done: Number(match[3]) } : null
}
