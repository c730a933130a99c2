import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** A request of a sample, and its answer. */
export interface RecordedCall {
  method: string
  path: string
  /** JSON with sorted names, or an empty text. */
  body: string
  hasToken: boolean
  status: number
  answer: string
}

/** Passes requests on to a deployment and keeps the first of each sample, by the language and operation in its address. */
export interface Recorder {
  baseUrl: string
  find(language: string, operationId: string): RecordedCall | null
  close(): Promise<void>
}

/** `token` is given to whoever logs in as the person of the samples. */
export async function openRecorder(deployment: string, token: string): Promise<Recorder> {
  const heard = new Map<string, RecordedCall>()
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(599).end(String(error)))
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, language, operationId, path = ''] = /^\/(\w+)\/(\w+)(\/.*)$/.exec(request.url ?? '') ?? []
    const body = (await buffer(request)).toString()
    if (path.endsWith('/auth/login') && operationId !== 'login') {
      const tokens = { access_token: token, refreshToken: 'none', username: '', redirect_url: '', twoStepVerify: false }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(tokens))
      return
    }
    const { method = '', headers } = request
    const passed = Object.entries(headers).filter(([name]) => /^(authorization|content-type|accept|if-match|idempotency-key)$/.test(name))
    const answered = await fetch(`${deployment}${path}`, {
      ...{ method, headers: passed.map(([name, value]) => [name, String(value)] as [string, string]) },
      ...(body === '' ? {} : { body }),
    })
    const bytes = Buffer.from(await answered.arrayBuffer())
    const key = `${language}/${operationId}`
    if (!heard.has(key))
      heard.set(key, {
        ...{ method, path, body: body === '' ? '' : JSON.stringify(sorted(JSON.parse(body))) },
        ...{ hasToken: headers.authorization !== undefined, status: answered.status, answer: bytes.toString() },
      })
    response.writeHead(answered.status, { 'content-type': answered.headers.get('content-type') ?? 'application/octet-stream' })
    response.end(bytes)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the recorder does not listen')
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    find: (language, operationId) => heard.get(`${language}/${operationId}`) ?? null,
    close: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  )
}
