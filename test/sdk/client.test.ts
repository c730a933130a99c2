import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { ApiError, BrokenOffError, Countinghouse, eachItem, eachPage, NoAnswerError, readLines } from '../../sdk/typescript/src/index.ts'
import { verifyEvent, WebhookError } from '../../sdk/typescript/src/webhooks.ts'
import { printSecret, signHeaders } from '../../src/webhooks/signing.ts'
import { type Answer, COMPANY, closeApis, json, neverAnswers, nothing, openApi, PROBLEM, page } from './scripted-api.ts'

afterEach(closeApis)

describe('a request of the TypeScript SDK', () => {
  it('waits as long as Retry-After says, and is repeated', async () => {
    const { api, requests } = await openApi([json(503, PROBLEM, { 'retry-after': '1' }), json(200, page([COMPANY]))])
    const began = performance.now()
    expect((await api.listCompanies()).data).toEqual([COMPANY])
    expect(performance.now() - began).toBeGreaterThanOrEqual(990)
    expect(requests).toHaveLength(2)
    expect(requests[0]?.headers.authorization).toBe('Bearer chk_test')
  })

  it('fails at once when Retry-After is longer than it may wait, and says when to come again', async () => {
    const { api, requests } = await openApi([json(429, { ...PROBLEM, status: 429 }, { 'retry-after': '900' })])
    const error = await api.listCompanies().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 429, retryAfterMs: 900_000, requestId: PROBLEM.requestId })
    expect(requests).toHaveLength(1)
  })

  it('that creates something is repeated with the same key of its own', async () => {
    const { api, requests } = await openApi([nothing, json(500, PROBLEM), json(201, COMPANY)])
    expect(await api.createCompany({ body: { name: 'Boulangerie' } })).toEqual(COMPANY)
    const keys = requests.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0], keys[0]])
    await api.createCompany({ body: { name: 'Boulangerie' }, headers: { 'Idempotency-Key': 'mine' } })
    expect(requests[3]?.headers['idempotency-key']).toBe('mine')
  })

  it('that is not safe to repeat is sent once', async () => {
    const { api, requests } = await openApi([nothing])
    const change = api.updateCompany({ path: { companyId: 'c1' }, body: { name: 'B' }, headers: { 'If-Match': '"1"' } })
    await expect(change).rejects.toThrow(NoAnswerError)
    expect(requests).toHaveLength(1)
    await expect(api.login({ body: { email: 'a@example.com', password: 'p' } })).rejects.toThrow(NoAnswerError)
    expect(requests).toHaveLength(2)
  })

  it('to a server that answers 500 fails with its message, and the next one works', async () => {
    const { api } = await openApi([json(500, PROBLEM), json(500, PROBLEM), json(200, page([]))], { retries: 1 })
    await expect(api.listCompanies()).rejects.toThrow(/^GET http:.*companies was answered with 500: The service cannot answer now\.$/)
    expect((await api.listCompanies()).data).toEqual([])
  })

  it('to nobody, or to neverAnswers, says so', async () => {
    const closed = new Countinghouse({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', retries: 1 })
    await expect(closed.listCompanies()).rejects.toThrow(/got no answer, tried 2 times: .*(ECONNREFUSED|bad port)/)
    const { api } = await openApi([neverAnswers], { retries: 0, timeoutMs: 50 })
    await expect(api.listCompanies()).rejects.toThrow('got no answer, tried once: no answer within 50 ms')
  })

  it('is ended by its signal, also while it waits', async () => {
    const { api, requests } = await openApi([json(503, PROBLEM, { 'retry-after': '50' })])
    const stop = new AbortController()
    const call = api.listCompanies({ signal: stop.signal })
    await expect.poll(() => requests.length).toBe(1)
    stop.abort()
    await expect(call).rejects.toThrow(/abort/)
  })

  it('that is refused tells each field', async () => {
    const { api } = await openApi([json(400, { ...PROBLEM, status: 400, errors: [{ field: 'name', message: 'is missing' }] })])
    const error = await api.createCompany({ body: { name: '' } }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      status: 400,
      problem: { errors: [{ field: 'name' }] },
      message: expect.stringContaining('name is missing'),
    })
  })

  it('to something that is not the API fails instead of giving a page', async () => {
    const html: Answer = (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')
    const { api } = await openApi([
      html,
      (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
    ])
    await expect(api.listCompanies()).rejects.toThrow('text/html instead of JSON; is baseUrl right?')
    await expect(api.listCompanies()).rejects.toThrow('broken JSON')
    expect(() => new Countinghouse({ baseUrl: 'example.com' })).toThrow('not "example.com"')
  })
})

describe('an answer that breaks off, in the TypeScript SDK', () => {
  const broken =
    (status: number, type: string): Answer =>
    (_request, response) => {
      response.writeHead(status, { 'content-type': type, 'content-length': 100 })
      response.write('{"a":1}\n', () => setImmediate(() => response.destroy()))
    }

  it.each([
    ['a document', 200, 'application/json', 'got no answer, tried once'],
    ['lines', 200, 'application/x-ndjson', 'got an answer that broke off'],
    ['a refusal by something else', 502, 'text/html', 'got an answer that broke off'],
  ])('is no answer: %s', async (_what, status, type, words) => {
    const { api } = await openApi([broken(status, type)], { retries: 0 })
    const error = await api.listCompanies().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(NoAnswerError)
    expect(error).toMatchObject({ message: expect.stringContaining(words), attempts: 1, cause: expect.any(TypeError) })
  })

  it('and brings no more lines ends an export with the lines before', async () => {
    const { api } = await openApi([
      broken(200, 'application/x-ndjson'),
      (_request, response) => {
        response.writeHead(206, { 'content-type': 'application/x-ndjson', 'content-length': 100 })
        response.write('{', () => setImmediate(() => response.destroy()))
      },
    ])
    const lines: unknown[] = []
    const read = async () => {
      for await (const line of api.eachExportRecord('e1')) lines.push(line)
    }
    await expect(read()).rejects.toThrow(BrokenOffError)
    expect(lines).toEqual([{ a: 1 }])
  })

  it('because its signal ended the call throws the reason of the signal', async () => {
    const stop = new AbortController()
    const { api } = await openApi([
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/x-ndjson', 'content-length': 100 })
        response.write('{"a":1}\n', () => setImmediate(() => stop.abort(new Error('enough'))))
      },
    ])
    await expect(api.listCompanies({ signal: stop.signal })).rejects.toThrow('enough')
  })
})

describe('a login of the TypeScript SDK', () => {
  const tokens = (name: string, twoStepVerify = false) =>
    json(200, { access_token: name, refreshToken: twoStepVerify ? '' : `r-${name}`, username: '', redirect_url: '', twoStepVerify })

  it('is made once for calls at the same time, and refreshed when its token has run out', async () => {
    let valid = 'one'
    const paths: string[] = []
    const answer: Answer = (request, response) => {
      paths.push(request.url ?? '')
      if (request.url?.endsWith('/login')) return tokens('one')(request, response)
      if (request.url?.endsWith('/refresh')) return tokens('two')(request, response)
      const isValid = request.headers.authorization === `Bearer ${valid}`
      return (isValid ? json(200, page([COMPANY])) : json(401, { ...PROBLEM, status: 401 }))(request, response)
    }
    const { api } = await openApi([answer], { login: { email: 'a@example.com', password: 'p' } })
    await Promise.all([api.listCompanies(), api.listCompanies()])
    valid = 'two'
    await Promise.all([api.listCompanies(), api.listCompanies()])
    expect(paths.filter((path) => path.includes('/auth/'))).toEqual(['/admin/api/v1/auth/login', '/admin/api/v1/auth/refresh'])
  })

  it('asks for the code of an account with two-step login', async () => {
    const login = { email: 'a@example.com', password: 'p', code: () => '492039' }
    const { api, requests } = await openApi([tokens('challenge', true), tokens('whole'), json(200, page([]))], { login })
    await api.listCompanies()
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer challenge', 'Bearer whole'])
  })
})

describe('lists of the TypeScript SDK', () => {
  it('are read page by page, and feeds by their cursor', async () => {
    const { api, requests } = await openApi([
      json(200, page([1, 2])),
      json(200, page([3])),
      json(200, { data: [4], cursor: 'x', hasMore: true }),
      json(200, { data: [5], cursor: 'y', hasMore: false }),
    ])
    expect(await Array.fromAsync(eachItem((query) => api.listCompanies({ query }), { pageSize: 2 }))).toEqual([1, 2, 3])
    const read = (cursor?: string) => api.listEvents({ query: cursor === undefined ? {} : { Cursor: cursor } })
    expect((await Array.fromAsync(eachPage(read))).map(({ cursor }) => cursor)).toEqual(['x', 'y'])
    expect(requests.map(({ url }) => url?.split('?')[1])).toEqual([
      'PageNumber=1&PageSize=2',
      'PageNumber=2&PageSize=2',
      undefined,
      'Cursor=x',
    ])
  })

  it('of lines tell when they are cut', async () => {
    const stream = (text: string) => new Blob([text]).stream()
    expect(await Array.fromAsync(readLines(stream('{"a":"é"}\n{"a":2}\n')))).toEqual([{ a: 'é' }, { a: 2 }])
    await expect(Array.fromAsync(readLines(stream('{"a":1}\n{"a"')))).rejects.toThrow(BrokenOffError)
  })

  it('of an export go on where the download broke off', async () => {
    const file = Buffer.from('{"n":"é1"}\n{"n":"é2"}\n{"n":"é3"}\n')
    const head = { 'content-type': 'application/x-ndjson', etag: '"v"' }
    const { api, requests } = await openApi([
      (_request, response) => {
        response.writeHead(200, { ...head, 'content-length': file.length })
        response.write(file.subarray(0, 15), () => setImmediate(() => response.destroy()))
      },
      (request, response) => {
        const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1])
        response.writeHead(206, head).end(file.subarray(from))
      },
    ])
    expect(await Array.fromAsync(api.eachExportRecord('e1'))).toEqual([{ n: 'é1' }, { n: 'é2' }, { n: 'é3' }])
    expect(requests[1]?.headers).toMatchObject({ range: 'bytes=12-', 'if-range': '"v"' })
  })
})

describe('a webhook in the TypeScript SDK', () => {
  const [old, current] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
  const body = JSON.stringify({
    Class: 'DataConnection',
    MessageType: 'NormalizedData',
    Identifier: 'NormalizedData.1',
    Data: {},
    Signature: '',
  })
  const at = new Date('2026-11-24T02:00:00Z')
  const headers = signHeaders('NormalizedData.1', at, body, [old, current])
  const verify = (secret: Uint8Array, text = body, given: Record<string, string> = { ...headers }, now = at) =>
    verifyEvent(given, text, printSecret(secret), { now })

  it('is verified by each secret of a rotation, in any letter case of the headers', async () => {
    expect((await verify(old)).MessageType).toBe('NormalizedData')
    const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
    expect((await verify(current, body, named)).Identifier).toBe('NormalizedData.1')
    const only = signHeaders('NormalizedData.1', at, body, [current])
    const secrets = [printSecret(old), printSecret(current)]
    expect(await verifyEvent(new Headers({ ...only }), new TextEncoder().encode(body), secrets, { now: at })).toMatchObject({ Data: {} })
  })

  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['another secret', () => verify(new Uint8Array(32)), /not right/],
    ['another body', () => verify(old, `${body} `), /not right/],
    ['another id', () => verify(old, body, { ...headers, 'webhook-id': 'x' }), /not right/],
    ['an older time', () => verify(old, body, { ...headers }, new Date(at.getTime() + 301_000)), /too long ago/],
    ['a time of the future', () => verify(old, body, { ...headers }, new Date(at.getTime() - 301_000)), /clock/],
    ['a time that is none', () => verify(old, body, { ...headers, 'webhook-timestamp': 'now' }), /not a number/],
    ['no signature', () => verify(old, body, {}), /missing/],
    ['a signature that is no base64', () => verify(old, body, { ...headers, 'webhook-signature': 'v1,§ v2,x' }), /not right/],
  ])('is refused with %s', async (_what, call, message) => {
    const error = await call().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(WebhookError)
    expect(String(error)).toMatch(message)
  })

  it.each(['[]', 'null', '{"MessageType":', ''])('is refused when it is signed but no event: %j', async (text) => {
    const signature = createHmac('sha256', old)
      .update(`1.${at.getTime() / 1000}.${text}`)
      .digest('base64')
    const signed = { 'webhook-id': '1', 'webhook-timestamp': `${at.getTime() / 1000}`, 'webhook-signature': `v1,${signature}` }
    const error = await verify(old, text, signed).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(WebhookError)
    expect(String(error)).toContain('not an event')
    await expect(verifyEvent(signed, text, 'whsec_', { now: at })).rejects.toThrow('begins with whsec_')
  })
})
