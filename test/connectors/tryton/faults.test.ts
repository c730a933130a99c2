import { text } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { type Pull, type Session, SourceError } from '../../../src/connectors/contract/contract.ts'
import { trytonConnector } from '../../../src/connectors/tryton/client.ts'
import { LoopbackServers } from '../../../src/egress/loopback-server.ts'
import { outcomeOf, sessionOf } from '../../harness/connector-calls.ts'
import { submitForm } from '../../harness/form.ts'
import { openLoopbackKit } from '../../harness/loopback-kit.ts'

const PASSWORD = 'canary-password-5c1f'
const SESSION_KEY = 'canary-session-9d2e'
const STAMP = { __class__: 'datetime', year: 2026, month: 1, day: 2, hour: 3, minute: 4, second: 5, microsecond: 6 }
const ENTITY_ID = 'books/1/2026-01-02T03:04:05.000006'

const { kit, close } = openLoopbackKit()
const servers = new LoopbackServers()
afterEach(() => servers.closeAll())
afterAll(close)

interface Answer {
  status?: number
  headers?: Record<string, string>
  /** Null drops the connection. */
  body: string | null
}

/** Answers of a healthy server to the calls before the first page. */
const healthy: Record<string, Answer> = {
  'common.server.version': result('6.0.29'),
  'common.db.login': result([1, SESSION_KEY]),
  'common.db.logout': result(null),
  'model.res.user.get_preferences': result({ company: 1 }),
  'model.company.company.search_read': result([{ id: 1, create_date: STAMP, 'party.': { name: 'Ébène' } }]),
  'model.account.account.fields_get': result({ debit_type: {} }),
  'model.account.move.fields_get': result({ post_number: {} }),
  'model.account.account.type.search_read': result([]),
  'model.account.move.line.search_read': result([]),
}

const faults: [string, Answer, SourceError['kind']][] = [
  ['401', { status: 401, body: '<h1>Unauthorized</h1>' }, 'reconnect'],
  ['403', { status: 403, body: '' }, 'reconnect'],
  ['429', { status: 429, headers: { 'retry-after': '17' }, body: '' }, 'rateLimited'],
  ['404, a database that is away for a moment', { status: 404, body: '' }, 'unavailable'],
  ['500', { status: 500, body: 'oops' }, 'unavailable'],
  ['503', { status: 503, body: '<h1>Service Unavailable</h1>' }, 'unavailable'],
  ['a cut connection', { body: null }, 'unavailable'],
  ['a redirect', { status: 302, headers: { location: '/login' }, body: '' }, 'badData'],
  ['a page of HTML with 200', { body: '<!doctype html><title>Bienvenue</title>' }, 'badData'],
  ['an answer cut in the middle', { body: '{"id":1,"result":[{"id":12,"co' }, 'badData'],
  ['an empty body', { body: '' }, 'badData'],
  ['an answer with neither result nor error', { body: '{"id":1}' }, 'badData'],
  ['a result that is no list', result({ rows: [] }), 'badData'],
  ['a refusal of rights', { body: '{"id":1,"error":["UserError",["You are not allowed",""]]}' }, 'reconnect'],
  ['an internal error', { body: '{"id":1,"error":["database is locked",""]}' }, 'unavailable'],
]

describe.each([
  ['accounts', trytonConnector.pulls[0] as Pull, 'model.account.account.search_read'],
  ['entries', trytonConnector.pulls[1] as Pull, 'model.account.move.search_read'],
] as const)('the pull of %s', (_name, pull, method) => {
  it.each(faults)('recognizes %s', async (_fault, answer, kind) => {
    const session = await openSession({ ...healthy, [method]: answer })
    const error = await outcomeOf(pull.fetch(session, null))
    expect(error).toBeInstanceOf(SourceError)
    expect(error).toMatchObject({ kind })
  })

  it.each(faults)('keeps password and session out of the error after %s', async (_fault, answer) => {
    const session = await openSession({ ...healthy, [method]: answer })
    expect(inspect(await outcomeOf(pull.fetch(session, null)), { depth: 10 })).not.toContain('canary')
  })

  it('passes on how long to wait', async () => {
    const session = await openSession({ ...healthy, [method]: { status: 429, headers: { 'retry-after': '17' }, body: '' } })
    expect(await outcomeOf(pull.fetch(session, null))).toMatchObject({ retryAfterMs: 17_000 })
  })

  it('refuses data of another company that took the place of the connected one', async () => {
    const other = { ...STAMP, year: 2025 }
    const script = { ...healthy, 'model.company.company.search_read': result([{ id: 1, create_date: other, 'party.': null }]) }
    expect(await outcomeOf(pull.fetch(await openSession(script), null))).toMatchObject({ kind: 'reconnect' })
  })
})

describe('the form', () => {
  it.each<[string, string, Answer, string]>([
    ['HTML instead of a version', 'common.server.version', { body: '<html>' }, 'address'],
    ['a server that knows no such call', 'common.server.version', { status: 404, body: '' }, 'address'],
    ['a server that is down', 'common.server.version', { status: 503, body: '' }, 'address'],
    ['a version before 6.0', 'common.server.version', result('5.0.12'), 'address'],
    ['a refused password', 'common.db.login', { status: 401, body: '' }, 'password'],
    ['a database that is not there', 'common.db.login', { status: 404, body: '' }, 'database'],
    ['a second factor', 'common.db.login', { body: '{"id":1,"error":["LoginException",["sms","Code","char"]]}' }, 'user'],
    ['missing rights', 'model.account.account.search', { body: '{"id":1,"error":["UserError",["no",""]]}' }, 'user'],
    ['a database without accounting', 'model.account.account.search', { body: `{"id":1,"error":["'account.account'",""]}` }, 'database'],
    ['a user without a company', 'model.res.user.get_preferences', result({}), 'user'],
  ])('shows %s beside the right field', async (_case, method, answer, field) => {
    const url = await serve({ ...healthy, 'model.company.company.search': result([1, 2]), [method]: answer })
    const error = await outcomeOf(submit(url))
    expect(error).toBeInstanceOf(InputRefused)
    expect(error).toMatchObject({ field })
    expect(inspect(error, { depth: 10 })).not.toContain('canary')
  })

  it('waits if the server asks to wait', async () => {
    const url = await serve({ ...healthy, 'common.db.login': { status: 429, body: '' } })
    expect(await outcomeOf(submit(url))).toMatchObject({ kind: 'rateLimited' })
  })
})

function submit(address: string) {
  return submitForm(trytonConnector, kit, { address, database: 'books', user: 'zoé', password: PASSWORD })
}

async function openSession(script: Record<string, Answer>): Promise<Session> {
  const secret = {
    address: await serve(script),
    database: 'books',
    user: 'zoé',
    password: PASSWORD,
    companyId: 1,
    session: { userId: 1, key: SESSION_KEY },
  }
  return sessionOf({ kit }, { credentials: { secret, expiresAt: null }, entity: { id: ENTITY_ID, name: '' } })
}

async function serve(script: Record<string, Answer>): Promise<string> {
  return await servers.http(async (request, response) => {
    const { method } = JSON.parse(await text(request)) as { method: string }
    const answer = script[method] ?? { status: 404, body: '' }
    if (answer.body === null) request.socket.destroy()
    else response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers }).end(answer.body)
  })
}

function result(value: unknown): Answer {
  return { body: JSON.stringify({ id: 1, result: value }) }
}
