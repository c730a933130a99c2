import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { add, type Decimal } from '../../model/values/decimal.ts'
import type { Json } from '../../model/values/json.ts'
import type { Pull, SourceItem } from '../contract/contract.ts'
import { debitLessCredit, isDay } from '../toolkit/raw-values.ts'
import { listFields, requireVersion } from './accounts.ts'
import { readCompany, toContext } from './company.ts'
import { nextCursor, readRows, toRows } from './paging.ts'
import { openCalls, readSecret } from './request.ts'
import { LineWire } from './wire.ts'

const isLine = Compile(LineWire)

/** Entries a page; their lines come with them, so that a page always holds whole entries. */
const PAGE_SIZE = 200

const Cursor = Type.Object({
  after: Type.Integer(),
  repeats: Type.Integer(),
  major: Type.Integer(),
  fields: Type.Array(Type.String()),
})

type Row = { [field: string]: Json }

/**
 * Posted entries, all of them each time. Odoo lets a posted entry go back to draft, lose a line and be posted again, and a line that is gone
 * leaves no trace to ask for: only a complete listing shows it.
 */
export const pullEntries: Pull = {
  name: 'entries',
  delivers: ['Transactions'],
  async fetch({ kit, credentials, entityId }, given) {
    const secret = readSecret(credentials)
    const known = Value.Check(Cursor, given) ? given : null
    const major = known?.major ?? (await requireVersion(kit, secret.address))
    const calls = openCalls(kit, secret, major)
    const context = toContext(secret)
    if (known === null) await readCompany(calls, secret, entityId)
    const fields = known?.fields ?? (await listFields(calls, 'account.move', ['move_type', 'type']))
    const place = known ?? { after: 0, repeats: 0 }
    const moves = await calls.call('account.move', 'search_read', {
      domain: [
        ['company_id', '=', secret.companyId],
        ['state', '=', 'posted'],
        ['id', '>', place.after],
      ],
      fields: ['name', 'date', 'ref', ...fields],
      order: 'id asc',
      limit: PAGE_SIZE,
      context,
    })
    const rows = toRows(moves.result, 'entries')
    const lines = await calls.call('account.move.line', 'search_read', {
      domain: [['move_id', 'in', rows.map(({ id }) => id ?? null)]],
      fields: ['move_id', 'account_id', 'debit', 'credit', 'name', 'partner_id', 'company_currency_id'],
      order: 'id asc',
      context,
    })
    toRows(lines.result, 'lines')
    const next = nextCursor(place, rows, PAGE_SIZE)
    return {
      answers: { moves: moves.body, lines: lines.body },
      next: next === null ? null : { ...next, major, fields },
      listing: 'complete',
    }
  },
  *read(answers): Iterable<SourceItem> {
    const linesByMove = Map.groupBy(readRows(answers, 'lines'), moveIdOf)
    const seen = new Set<Json>()
    for (const move of readRows(answers, 'moves')) {
      const id = move.id ?? null
      if (seen.has(id)) continue
      seen.add(id)
      yield* readEntry(move, linesByMove.get(id) ?? [])
    }
    for (const [moveId, lines] of linesByMove) {
      if (!seen.has(moveId)) yield* lines.map((line) => setAside(line, 'its entry is not on the page'))
    }
  },
}

function* readEntry(move: Row, lines: Row[]): Iterable<SourceItem> {
  if (lines.length === 0) {
    // Under a name that no line has: without one, nothing could ever be called missing again.
    const origId = typeof move.id === 'number' ? `move/${move.id}` : null
    yield { entity: 'Transactions', origId, unreadable: 'an entry without a line that the user may see' }
    return
  }
  const reason = findFault(move, lines)
  for (const line of lines) {
    if (reason !== null) yield setAside(line, reason)
    // Sections, notes and lines of nothing move no money.
    else if (amountOf(line) !== '0') yield { entity: 'Transactions', origId: String(line.id), wire: { ...line, move } }
  }
}

function setAside(line: Row, reason: string): SourceItem {
  return { entity: 'Transactions', origId: typeof line.id === 'number' ? String(line.id) : null, unreadable: reason }
}

/** The sum of debits less credits must be exactly nothing; a line that the user may not see shows up here. */
function findFault(move: Row, lines: readonly Row[]): string | null {
  if (!isDay(move.date)) return 'its entry has no possible day'
  const amounts = lines.map(amountOf)
  if (!amounts.every((amount) => amount !== null)) return 'an amount of its entry is no exact decimal'
  // One line alone may not be set aside: what is left of its entry would not balance.
  if (!lines.every((line) => amountOf(line) === '0' || isLine.Check({ ...line, move }))) return 'a line of its entry cannot be read'
  return add(...amounts) === '0' ? null : 'its entry does not balance'
}

function amountOf({ debit, credit }: Row): Decimal | null {
  return debitLessCredit(debit, credit)
}

function moveIdOf({ move_id: move }: Row): Json {
  return Array.isArray(move) ? (move[0] ?? null) : null
}
