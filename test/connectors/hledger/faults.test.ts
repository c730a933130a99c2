import { inspect } from 'node:util'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'
import { type Pull, SourceError } from '../../../src/connectors/contract/contract.ts'
import { hledgerConnector } from '../../../src/connectors/hledger/client.ts'
import { LoopbackServers } from '../../../src/egress/loopback-server.ts'
import { outcomeOf, sessionOf } from '../../harness/connector-calls.ts'
import { submitForm } from '../../harness/form.ts'
import { openLoopbackKit } from '../../harness/loopback-kit.ts'

const PASSWORD = 'canary-password-5c1f'
const { kit, close } = openLoopbackKit()
const [pullBooks] = hledgerConnector.pulls as [Pull]
const servers = new LoopbackServers()
afterEach(() => servers.closeAll())
afterAll(close)

interface Answer {
  status?: number
  headers?: Record<string, string>
  /** Null drops the connection. */
  body: string | null
}

const healthy: Record<string, Answer> = {
  '/version': { body: '"1.25"' },
  '/accountnames': { body: '["assets"]' },
  '/accounts': { body: '[]' },
  '/transactions': { body: '[]' },
}

const faults: [string, Answer, SourceError['kind']][] = [
  ['401', { status: 401, body: '' }, 'reconnect'],
  ['403', { status: 403, body: 'Missing the view capability' }, 'reconnect'],
  ['429', { status: 429, headers: { 'retry-after': '17' }, body: '' }, 'rateLimited'],
  ['500', { status: 500, body: 'oops' }, 'unavailable'],
  ['503', { status: 503, body: '<h1>Service Unavailable</h1>' }, 'unavailable'],
  ['a cut connection', { body: null }, 'unavailable'],
  ['404', { status: 404, body: '' }, 'badData'],
  ['a redirect', { status: 302, headers: { location: '/login' }, body: '' }, 'badData'],
  ['a page of HTML with 200', { body: '<!doctype html><title>Bienvenue</title>' }, 'badData'],
  ['an answer cut in the middle', { body: '[{"tcode":"FA-1' }, 'badData'],
  ['an empty body', { body: '' }, 'badData'],
  ['an object in place of a list', { body: '{}' }, 'badData'],
]

describe.each(['/accountnames', '/accounts', '/transactions'])('a sync in which the answer to %s', (path) => {
  it.each(faults)('is %s ends with the right kind of error and no secret in it', async (_fault, answer, kind) => {
    const error = await outcomeOf(sync({ ...healthy, [path]: answer }))
    expect(error).toBeInstanceOf(SourceError)
    expect(error).toMatchObject({ kind, retryAfterMs: kind === 'rateLimited' ? 17_000 : null })
    expect(inspect(error, { depth: 10 })).not.toContain('canary')
  })
})

describe('the form', () => {
  it.each<[string, string, Answer, string]>([
    ['a refused password', '/version', { status: 401, body: '' }, 'password'],
    ['a server that lets nobody read', '/accountnames', { status: 403, body: '' }, 'address'],
    ['another server', '/version', { status: 404, body: '' }, 'address'],
    ['HTML', '/version', { body: '<html>' }, 'address'],
    ['JSON of another kind', '/version', { body: '{"version":1}' }, 'address'],
    ['a server that is down', '/version', { status: 503, body: '' }, 'address'],
  ])('shows %s beside the right field', async (_case, path, answer, field) => {
    const error = await outcomeOf(submit(await serve({ ...healthy, [path]: answer })))
    expect(error).toBeInstanceOf(InputRefused)
    expect(error).toMatchObject({ field })
    expect(inspect(error, { depth: 10 })).not.toContain('canary')
  })

  it('refuses an address that contains a password', async () => {
    const error = await outcomeOf(submit(`https://zoe:${PASSWORD}@books.example.com`))
    expect(error).toMatchObject({ name: 'InputRefused', field: 'address' })
    expect(inspect(error, { depth: 10 })).not.toContain('canary')
  })

  it.each([
    ['cad', 'CAD'],
    [' USD ', 'USD'],
    ['', ''],
  ])('stores the owner’s meaning of $, typed as "%s", as "%s"', async (dollar, kept) => {
    const { credentials } = await submit(await serve(healthy), { dollar })
    expect(credentials.secret).toMatchObject({ dollar: kept })
  })

  it.each(['dollars', '$', 'ZZZ', 'CA'])('refuses %s as a currency, beside its field', async (dollar) => {
    expect(await outcomeOf(submit(await serve(healthy), { dollar }))).toMatchObject({ name: 'InputRefused', field: 'dollar' })
  })

  it('waits if the server asks to wait', async () => {
    const url = await serve({ ...healthy, '/version': { status: 429, body: '' } })
    expect(await outcomeOf(submit(url))).toMatchObject({ kind: 'rateLimited' })
  })

  it('names the books by their address without the scheme', async () => {
    const url = await serve(healthy)
    expect(await submit(`${url}/`)).toMatchObject({ entity: { id: url.replace('http://', '') } })
  })
})

function submit(address: string, values: Record<string, string> = {}) {
  return submitForm(hledgerConnector, kit, { address, user: 'zoé', password: PASSWORD, ...values })
}

async function sync(script: Record<string, Answer>): Promise<void> {
  const secret = { address: await serve(script), user: 'zoé', password: PASSWORD }
  const session = sessionOf({ kit }, { credentials: { secret, expiresAt: null }, entity: { id: 'books', name: '' } })
  const { answers } = await pullBooks.fetch(session, null)
  for (const item of pullBooks.read(answers)) expect(item).toBeDefined()
}

async function serve(script: Record<string, Answer>): Promise<string> {
  return await servers.http((request, response) => {
    const answer = script[request.url ?? ''] ?? { status: 404, body: '' }
    if (answer.body === null) request.socket.destroy()
    else response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers }).end(answer.body)
  })
}
