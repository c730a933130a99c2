import { readFileSync } from 'node:fs'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Json } from '../../../src/model/values/json.ts'
import { listAt } from '../opened-source.ts'
import type { Row } from '../subject.ts'
import type { Answer, Reply } from './imitation.ts'

/** Passwords by login; `nobody` works for no company. */
export const USERS = { reader: 'imitated-password-reader', nobody: 'imitated-password-nobody' }

/** Recorded from a Debian server with the German chart SKR03; test/connectors/tryton tests the real one. */
const recorded = (name: string): Row[] =>
  (listAt(
    JSON.parse(readFileSync(new URL(`../../../src/connectors/tryton/fixtures/${name}.json`, import.meta.url), 'utf8')) as Json,
    'result',
  ) ?? []) as Row[]

const STAMP = { __class__: 'datetime', year: 2026, month: 6, day: 1, hour: 8, minute: 0, second: 0, microsecond: 12 }
const ENTRIES = 420

const Call = Type.Object({ method: Type.String(), params: Type.Array(Type.Unknown()) })

/** A small Tryton: one company with the recorded accounts, a number of additional ones, and entries of two lines. */
export function imitateTryton(moreAccounts: number): Answer {
  const accounts = recorded('accounts')
  const [sample] = accounts.filter(({ active, type }) => active === true && type !== null)
  const types = recorded('types')
  const more = Array.from({ length: moreAccounts }, (_, index) => ({
    ...sample,
    id: 5000 + index,
    code: `9${index}`,
    name: `Konto ${index}`,
  }))
  const chart = [...accounts, ...more].sort((a, b) => Number(a.id) - Number(b.id))
  const moves = Array.from({ length: ENTRIES }, (_, index) => toMove(index + 1))
  const lines = moves.flatMap(({ id }) => [toLine(Number(id) * 2, id, '12.50', '0'), toLine(Number(id) * 2 + 1, id, '0.00', '12.50')])

  return (request, body, takeFault) => {
    const call = JSON.parse(body) as unknown
    if (!Value.Check(Call, call)) return { status: 400, body: '{}' }
    const { method, params } = call
    if (method === 'common.server.version') return result('6.0.29')
    if (method === 'common.db.login') return takeFault('revoked') ? { status: 401, body: 'Unauthorized' } : logIn(params)
    if (method === 'common.db.logout') return result(null)
    if (takeFault('throttle')) return { status: 200, body: JSON.stringify({ id: 1, error: ['RateLimitException', []] }) }
    const [user] = Buffer.from(String(request.headers.authorization).slice('Session '.length), 'base64').toString().split(':')
    if (takeFault('revoked')) return { status: 401, body: 'Unauthorized' }
    if (takeFault('forbidden')) return { status: 200, body: JSON.stringify({ id: 1, error: ['UserError', ['no access', '']] }) }
    if (method === 'model.res.user.get_preferences') return result(user === 'nobody' ? {} : { company: 1, email: 'reader@example.com' })
    if (method === 'model.company.company.search') return result([])
    if (method === 'model.company.company.search_read') return result([{ id: 1, create_date: STAMP, 'party.': { name: 'Muster GmbH' } }])
    if (method.endsWith('.search')) return result([1])
    if (method.endsWith('.fields_get')) return result({ note: {}, debit_type: {}, post_number: {} })
    if (method === 'model.account.account.type.search_read') return result(types)
    if (method === 'model.account.account.search_read') return result(pageOf(chart, params))
    if (method === 'model.account.account.read') return result([])
    if (method === 'model.account.move.search_read') return result(pageOf(moves, params))
    return method === 'model.account.move.line.search_read' ? result(linesOf(lines, params)) : { status: 404, body: '' }
  }
}

function logIn([user, given]: unknown[]): Reply {
  const isRight = Object.entries(USERS).some(([name, password]) => name === user && JSON.stringify(given) === JSON.stringify({ password }))
  return isRight ? result([7, `imitated-session-${String(user)}`]) : { status: 401, body: 'Unauthorized' }
}

/** Rows after the id in the domain, up to the limit. */
function pageOf(rows: readonly Row[], [domain, , limit]: unknown[]): Row[] {
  const after = (domain as [string, string, unknown][]).find(([field, operator]) => field === 'id' && operator === '>')?.[2] ?? 0
  return rows.filter(({ id }) => Number(id) > Number(after)).slice(0, limit === null ? undefined : Number(limit))
}

function linesOf(lines: readonly Row[], [domain]: unknown[]): Row[] {
  const [wanted] = domain as [string, string, Json[]][]
  return lines.filter(({ move }) => wanted?.[2].includes(move ?? null))
}

function toMove(id: number): Row {
  const date = { __class__: 'date', year: 2026, month: 5, day: 1 + (id % 28) }
  const rest = { origin: null, description: `Beleg ${id}`, create_date: STAMP, write_date: STAMP }
  return { id, number: `${id}`, post_number: `${id}`, date, ...rest, 'journal.': { id: 3, name: 'Kasse', type: 'cash' } }
}

function toLine(id: number, move: Json | undefined, debit: string, credit: string): Row {
  const amount = (decimal: string) => ({ __class__: 'Decimal', decimal })
  const account = id % 2 === 0 ? 126 : 1038
  return {
    ...{ id, move: move ?? null, account, debit: amount(debit), credit: amount(credit), description: null, 'party.': null },
    'account.': { id: account, 'currency.': { id: 1, code: 'CAD' } },
  }
}

function result(value: Json): Reply {
  return { status: 200, body: JSON.stringify({ id: 1, result: value }) }
}
