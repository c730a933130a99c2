import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { SecretRedactor } from '../model/secret-redactor.ts'
import { Secret } from '../model/values/secret.ts'
import { createLog, type Logger } from './log.ts'

const CANARY = 'Kn4ry-aB3xY9_zq-77'

function write(work: (log: Logger) => void, secrets = new SecretRedactor()): string {
  const lines: string[] = []
  work(createLog({ level: 'trace', stream: { write: (line) => void lines.push(line) }, secrets }))
  return lines.join('')
}

function errorWith(fields: Record<string, unknown>, message = 'call failed', options?: ErrorOptions): Error {
  return Object.assign(new Error(message, options), fields)
}

describe('a secret does not reach the log', () => {
  test.each<[string, (log: Logger) => void]>([
    ['at the top', (log) => log.info({ password: CANARY }, 'x')],
    ['deep inside', (log) => log.info({ a: { b: { c: [{ d: { refresh_token: CANARY } }] } } }, 'x')],
    ['in camelCase', (log) => log.info({ connection: { clientSecret: CANARY } }, 'x')],
    ['in headers of any case', (log) => log.info({ headers: { AUTHORIZATION: `Bearer ${CANARY}`, 'Set-Cookie': [`s=${CANARY}`] } }, 'x')],
    ['in a raw list of headers', (log) => log.info({ rawHeaders: ['Authorization', `Basic ${CANARY}==`] }, 'x')],
    ['in a form body', (log) => log.info({ body: `grant_type=x&refresh_token=${CANARY}` }, 'x')],
    ['in a JSON body', (log) => log.info({ body: JSON.stringify({ accessToken: CANARY }) }, 'x')],
    ['in a URL', (log) => log.info({ url: `/cb?code=${CANARY}&state=${CANARY}` }, 'x')],
    ['in a message', (log) => log.info(`refresh with refresh_token=${CANARY} failed`)],
    ['in a message with an interpolated value', (log) => log.info('got %j', { api_key: CANARY })],
    ["in an error's message", (log) => log.error(new Error(`401 for Bearer ${CANARY}`))],
    ["in an error's cause", (log) => log.error(new Error('x', { cause: new Error(`token=${CANARY}`) }))],
    [
      "in an error's cause's cause",
      (log) => log.error({ err: new Error('x', { cause: new Error('y', { cause: errorWith({}, `password: ${CANARY}`) }) }) }, 'x'),
    ],
    ['in one of several errors', (log) => log.error({ err: new AggregateError([new Error(`secret=${CANARY}`)]) }, 'x')],
    [
      'in what a library hangs on an error',
      (log) => log.error(errorWith({ config: { headers: { 'x-custom': CANARY }, data: CANARY }, request: { body: CANARY } })),
    ],
    ['in what hangs on a nested error', (log) => log.error({ error: errorWith({ response: { data: CANARY } }) }, 'x')],
    ["in a request's query", (log) => log.info({ req: { method: 'GET', url: `/connect?x=${CANARY}`, headers: { custom: CANARY } } }, 'x')],
    ["in a webhook's address", (log) => log.info({ req: { method: 'POST', url: `/hooks/teller/instances/x/${CANARY}` } }, 'x')],
    ["in a receiver's address", (log) => log.info({ req: { method: 'POST', url: `/receiver/${CANARY}` } }, 'x')],
    ["in a child's bindings", (log) => log.child({ credentials: CANARY }).info('x')],
    [
      'wrapped as a Secret',
      (log) => log.info({ anything: new Secret(CANARY), text: `${new Secret(CANARY)} ${inspect(new Secret(CANARY))}` }, 'x'),
    ],
    ['in a token of an aggregator', (log) => log.info({ item: `access-sandbox-${CANARY}` }, 'x')],
    ['in a signing secret', (log) => log.info({ note: `whsec_${CANARY}` }, 'x')],
  ])('%s', (_where, work) => {
    const text = write(work)
    expect([text.includes(CANARY), text.split('\n').length]).toEqual([false, 2])
  })
})

describe('a live secret does not reach the log under any name', () => {
  const value = `pa"ss\\wörd ${CANARY}`
  const secrets = new SecretRedactor()
  secrets.add(value)

  test.each<[string, (log: Logger) => void]>([
    ['as it is', (log) => log.info({ anything: value }, 'x')],
    ['inside JSON', (log) => log.info({ anything: JSON.stringify({ x: value }) }, 'x')],
    ['percent-encoded', (log) => log.info(`/p?x=${encodeURIComponent(value)}`)],
    ['in a form', (log) => log.info(new URLSearchParams({ x: value }).toString())],
    ['in base64', (log) => log.info(Buffer.from(value).toString('base64'))],
    ['twice in a line', (log) => log.info(`${value}${value}`)],
  ])('%s', (_where, work) => {
    const text = write(work, secrets)
    expect([text.includes(CANARY), text.includes(encodeURIComponent(value)), text.includes(Buffer.from(value).toString('base64'))]).toEqual(
      [false, false, false],
    )
  })

  test('until newer ones have taken its place', () => {
    const few = new SecretRedactor(2)
    for (const one of ['first-secret', 'second-secret', 'third-secret']) few.add(one)
    expect(few.redact('first-secret second-secret third-secret')).toBe('first-secret [secret] [secret]')
  })

  test('and one that comes again counts as new', () => {
    const few = new SecretRedactor(2)
    for (const one of ['first-secret', 'second-secret', 'first-secret', 'third-secret']) few.add(one)
    expect(few.redact('first-secret second-secret third-secret')).toBe('[secret] second-secret [secret]')
  })

  test('while a word too short to be one is left alone', () => {
    const few = new SecretRedactor()
    few.add('done')
    expect(few.redact('done')).toBe('done')
  })

  test('the longest of those that begin alike', () => {
    const few = new SecretRedactor()
    for (const one of ['secret-one', 'secret-one-more']) few.add(one)
    expect(few.redact('<secret-one-more>')).toBe('<[secret]>')
  })
})

describe('a log line', () => {
  test('is JSON with level, time, pid and message', () => {
    const line: unknown = JSON.parse(write((log) => log.warn({ companyId: 'c1', accounts: 123456789 }, 'slow')))
    expect(line).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      pid: process.pid,
      companyId: 'c1',
      accounts: '••••6789',
      msg: 'slow',
    })
  })

  test('of an error names its kind, code, cause and place', () => {
    const error = errorWith({ code: 'ECONNREFUSED' }, 'call failed', { cause: new TypeError('no host') })
    const line: unknown = JSON.parse(write((log) => log.error(error)))
    expect(line).toMatchObject({
      err: {
        name: 'Error',
        message: 'call failed',
        code: 'ECONNREFUSED',
        stack: expect.stringContaining('log.test.ts'),
        cause: { name: 'TypeError', message: 'no host' },
      },
    })
  })

  test('below the level is not written', () => {
    const lines: string[] = []
    createLog({ level: 'warn', stream: { write: (line) => void lines.push(line) } }).info('quiet')
    expect(lines).toEqual([])
  })
})

describe('failures to reach a server', () => {
  const away = () => errorWith({ code: 'ECONNREFUSED' }, 'connect ECONNREFUSED 10.0.0.7:5432')

  function writeOver(level: 'info' | 'debug', work: (log: Logger, sleep: (ms: number) => void) => void): string[] {
    const lines: string[] = []
    let elapsedMs = 0
    const log = createLog({ level, stream: { write: (line) => void lines.push(line) }, elapsedMs: () => elapsedMs })
    work(log, (ms) => {
      elapsedMs += ms
    })
    return lines
  }

  test('pass once a minute, and the next one says how many were left out', () => {
    const lines = writeOver('info', (log, sleep) => {
      for (let second = 0; second < 121; second += 1) {
        log.error({ err: away(), tick: `task ${second}` }, 'tick failed')
        sleep(1_000)
      }
    })
    expect(lines.map((line) => JSON.parse(line).leftOut)).toEqual([undefined, 59, 59])
  })

  test('of each text pass by themselves', () => {
    const lines = writeOver('info', (log) => {
      for (const error of [away(), errorWith({ code: '57P03' }, 'the database system is starting up'), new Error('Connection terminated')])
        for (const message of ['tick failed', 'request failed']) log.error({ err: error }, message)
    })
    expect(lines).toHaveLength(3)
  })

  test('pass all at level debug, and failures of one piece of work always do', () => {
    expect(writeOver('debug', (log) => [1, 2, 3].map(() => log.error({ err: away() }, 'tick failed')))).toHaveLength(3)
    const ofWork = () => errorWith({ code: '23505' }, 'duplicate key value violates unique constraint')
    expect(writeOver('info', (log) => [1, 2, 3].map(() => log.error({ err: ofWork() }, 'job failed')))).toHaveLength(3)
  })

  test('pass when they end the process', () => {
    const lines = writeOver('info', (log) => {
      log.error({ err: away() }, 'tick failed')
      log.fatal({ err: away() }, 'the process cannot continue')
    })
    expect(lines).toHaveLength(2)
  })

  test('do not fill the memory with texts that differ', () => {
    const lines = writeOver('info', (log) => {
      for (let port = 0; port < 1_000; port += 1) log.error({ err: errorWith({ code: 'ECONNRESET' }, `read ECONNRESET ${port}`) }, 'x')
    })
    expect(lines).toHaveLength(1_000)
  })
})
