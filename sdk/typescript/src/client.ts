import { ApiError, NoAnswerError } from './errors.ts'
import { type Client, createClient, createConfig } from './generated/client/index.ts'
import { Operations } from './generated/sdk.gen.ts'
import { eachLineOfFile, parseLines } from './lines.ts'
import { fetchWithRetries, mediaType, type RetrySettings } from './retries.ts'
import { type Login, Session } from './session.ts'
import { eachRecordOfList, LIST_URLS, NDJSON, type WholeLists } from './whole-lists.ts'

export interface CountinghouseOptions {
  /** Address of the deployment, such as `https://data.example.com`. */
  baseUrl: string
  /** Key of a program, made on the portal page “API keys”. */
  apiKey?: string | undefined
  /** Or the login of a user; tokens are refreshed by themselves. */
  login?: Login
  /** Attempts after the first, where a repetition is safe. */
  retries?: number
  /** For one attempt. */
  timeoutMs?: number
  /** A longer `Retry-After` is not waited for: the call fails, and its error says when to come again. */
  longestWaitMs?: number
  /** Another `fetch`, for a proxy or a test. */
  fetch?: typeof fetch
}

/** The API of one deployment: a method for each operation of its reference, named as there. */
export class Countinghouse extends Operations {
  readonly #attempts: number

  constructor(options: CountinghouseOptions) {
    if (options.apiKey !== undefined && options.login !== undefined) throw new TypeError('Give either apiKey or login, not both.')
    const baseUrl = readBaseUrl(options.baseUrl)
    const settings: RetrySettings = {
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
      retries: options.retries ?? 4,
      timeoutMs: options.timeoutMs ?? 30_000,
      longestWaitMs: options.longestWaitMs ?? 60_000,
    }
    const client = createClient(createConfig({ baseUrl, throwOnError: true }))
    super({ client })
    this.#attempts = settings.retries + 1
    const session = options.login === undefined ? undefined : this.#openSession(options.login)
    client.setConfig({
      auth: async () => options.apiKey ?? (await session?.token()),
      fetch: async (input) => await fetchWithToken(new Request(input), settings, session),
    })
    addInterceptors(client)
  }

  /**
   * Records of a completed export in the format `ndjson`, read as they come. A download that breaks off goes on behind
   * the last whole line.
   */
  async *eachExportRecord<T = Record<string, unknown>>(exportId: string): AsyncGenerator<T, void, undefined> {
    const open = async (headers: Record<string, string>) => {
      const { data, response } = await this.client.get<{ 200: ReadableStream<Uint8Array> }, unknown, true>({
        url: '/admin/api/v1/normalized-data/exports/{exportId}/file',
        path: { exportId },
        security: [{ type: 'http', scheme: 'bearer' }],
        headers,
        parseAs: 'stream',
        throwOnError: true,
      })
      return { stream: data, response }
    }
    yield* parseLines<T>(eachLineOfFile(open))
  }

  /**
   * All records of one list, in one answer that is read as it comes: what was published when it began, in order of ids.
   * `list` is the name of the operation, as in `eachRecord('listBankingTransactions', { path: { companyId, serviceId } })`.
   * One that breaks off throws a `BrokenOffError`, and is to be read again from its start.
   */
  async *eachRecord<Name extends keyof WholeLists>(
    list: Name,
    { path, query, signal }: WholeLists[Name]['options'],
  ): AsyncGenerator<WholeLists[Name]['record'], void, undefined> {
    const open = async () => {
      const { data, response } = await this.client.get<{ 200: ReadableStream<Uint8Array> }, unknown, true>({
        url: LIST_URLS[list],
        path,
        security: [{ type: 'http', scheme: 'bearer' }],
        headers: { accept: NDJSON },
        ...(query === undefined ? {} : { query: { ...query } }),
        ...(signal === undefined ? {} : { signal }),
        parseAs: 'stream',
        throwOnError: true,
      })
      return { stream: data, response }
    }
    yield* eachRecordOfList<WholeLists[Name]['record']>(open, this.#attempts)
  }

  #openSession(login: Login): Session {
    return new Session(login, {
      login: async (email, password) => await this.login({ body: { email, password } }),
      completeLogin: async (challenge, code) =>
        await this.completeLogin({ body: { code }, headers: { Authorization: `Bearer ${challenge}` } }),
      refresh: async (refreshToken) => await this.refreshToken({ body: { refreshToken } }),
    })
  }
}

/** A token that has run out is replaced, and the request is sent once more. */
async function fetchWithToken(request: Request, settings: RetrySettings, session: Session | undefined): Promise<Response> {
  const response = await fetchWithRetries(request, settings)
  const sent = request.headers.get('authorization')?.replace(/^Bearer /, '')
  if (response.status !== 401 || session === undefined || !sent || /\/auth\/two-step$/.test(new URL(request.url).pathname)) return response
  const headers = new Headers(request.headers)
  headers.set('authorization', `Bearer ${await session.tokenAfter(sent)}`)
  return await fetchWithRetries(new Request(request, { headers }), settings)
}

function addInterceptors({ interceptors }: Client): void {
  // Every POST of a caller takes a key; those without a caller (`login`) are not kept.
  interceptors.request.use((request, { security }) => {
    if (request.method === 'POST' && security !== undefined && !request.headers.has('idempotency-key')) {
      request.headers.set('idempotency-key', crypto.randomUUID())
    }
    return request
  })
  interceptors.response.use((response, request, options) => {
    if (!response.ok || response.body === null) return response
    const type = mediaType(response)
    if (type === 'application/x-ndjson' || type === 'text/csv') {
      if (options.parseAs === 'auto') options.parseAs = 'text'
    } else if (type === '' || type === 'text/html' || type === 'text/plain') {
      throw new ApiError(
        `${request.method} ${request.url} was answered with ${type || 'something unknown'} instead of JSON; is baseUrl right?`,
        response,
      )
    }
    return response
  })
  interceptors.error.use((error, response, request) => {
    if (response === undefined || error instanceof ApiError) return error
    if (request?.signal.aborted) return request.signal.reason
    if (error instanceof SyntaxError)
      return new ApiError(`${request?.method} ${request?.url} was answered with broken JSON: ${error.message}`, response)
    // The body of a refusal is a text or a document; an error is from reading a body.
    return error instanceof Error ? NoAnswerError.ofBody(request, error) : ApiError.ofRefusal(request, response, error)
  })
}

function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new TypeError(`baseUrl is the address of a deployment, such as https://data.example.com, not ${JSON.stringify(text)}.`)
  }
  return text.replace(/\/+$/, '')
}
