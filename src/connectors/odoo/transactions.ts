import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { flatMapInSlices } from '../../model/steps/slices.ts'
import type { Pull } from '../contract/contract.ts'
import { listFields, requireVersion } from './accounts.ts'
import { readCompany, toContext } from './company.ts'
import { nextCursor, toRows } from './paging.ts'
import { readTransactions } from './read.ts'
import { openCalls, readSecret } from './request.ts'

/** Entries a page; their lines come with them, so that a page always holds whole entries. */
const PAGE_SIZE = 200

const Cursor = Type.Object({
  after: Type.Integer(),
  repeats: Type.Integer(),
  major: Type.Integer(),
  fields: Type.Array(Type.String()),
})

/**
 * Posted entries, all of them in every run. Odoo lets a posted entry return to draft, lose a line and be posted again,
 * and a deleted line leaves no trace to query: only a complete listing shows it.
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
    const rows = await toRows(moves.result, 'entries')
    const lines = await calls.call('account.move.line', 'search_read', {
      domain: [['move_id', 'in', await flatMapInSlices(rows, ({ id }) => [id ?? null])]],
      fields: ['move_id', 'account_id', 'debit', 'credit', 'name', 'partner_id', 'company_currency_id'],
      order: 'id asc',
      context,
    })
    await toRows(lines.result, 'lines')
    const next = await nextCursor(place, rows, PAGE_SIZE)
    return {
      answers: { moves: moves.body, lines: lines.body },
      next: next === null ? null : { ...next, major, fields },
      listing: 'complete',
    }
  },
  read: readTransactions,
}
