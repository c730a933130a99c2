import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Simulator, SimulatorOptions } from '../../simulator.ts'
import { Faults } from '../faults.ts'
import type { StateStore } from '../state.ts'
import { HeldRequests } from './held-requests.ts'
import { type LoggedRequest, RequestLog, readBody, withoutPrefix } from './request.ts'
import { cutReply, mountedReply, paddedReply, type Reply, type Sender, send } from './response.ts'

/** One request with its complete body. */
export interface Call<Entry extends { status: number } = LoggedRequest> {
  request: IncomingMessage
  response: ServerResponse
  method: string
  /** Path without the prefix that the simulator is mounted under. */
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: string
  /** Form of a POST; null for other methods. */
  form: URLSearchParams | null
  /** Entry of the request log. */
  entry: Entry
}

/** Controls that every simulator offers to tests. */
export interface ServedControls<Entry = LoggedRequest> extends Omit<Simulator, 'key'> {
  /** Lets the requests held by `slow` continue. */
  release(): void
  countHeld(): number
  /** The newest 10,000 requests, oldest first. */
  listRequests(): readonly Entry[]
}

export interface ServeOptions<Entry extends { status: number }> {
  /** Null if it was answered already. */
  answer(call: Call<Entry>): Promise<Reply | null> | Reply | null
  toEntry(call: Omit<Call<Entry>, 'entry'>): Entry
  /** Sends a reply; by default with a request id and without caching. */
  send?: Sender
  /** Defaults to 1 MiB; 0 leaves reading the body to `answer`. */
  maxBodyBytes?: number
}

/** HTTP front end shared by all simulators: clock, faults, log and held requests. */
export class HttpFront<Name extends string, Fault = string> {
  readonly faults: Faults<Name, Fault>
  readonly held = new HeldRequests()
  readonly baseUrl: () => string
  /** The simulator's clock, which tests can move. */
  readonly now: () => Date
  readonly #state: StateStore<{ clockMs: number }>

  constructor(options: SimulatorOptions, state: StateStore<{ clockMs: number }>, faults: Readonly<Record<Name, Fault>>) {
    this.faults = new Faults(faults)
    this.baseUrl = options.baseUrl
    this.now = () => new Date((options.now?.() ?? new Date()).getTime() + state.data.clockMs)
    this.#state = state
  }

  serve(answer: (call: Call) => Promise<Reply> | Reply, sender?: Sender): ServedControls {
    return this.serveLogged({ answer, toEntry, ...(sender ? { send: sender } : {}) })
  }

  /** Like `serve`, with a log that records more than method, path and query. */
  serveLogged<Entry extends { status: number }>(options: ServeOptions<Entry>): ServedControls<Entry> {
    const log = new RequestLog<Entry>()
    const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const url = new URL(request.url ?? '/', 'http://simulator')
      const body = options.maxBodyBytes === 0 ? '' : await readBody(request, options.maxBodyBytes)
      const { method = 'GET', headers } = request
      const path = withoutPrefix(url.pathname, this.baseUrl())
      const form = method === 'POST' ? new URLSearchParams(body) : null
      const read = { request, response, method, path, query: url.searchParams, headers, body, form }
      const call = { ...read, entry: log.note(options.toEntry(read), response) }
      const reply = await options.answer(call)
      const sender = options.send ?? send
      if (reply) sender(response, mountedReply(reply, this.baseUrl()))
    }
    return {
      handle: (request, response) => {
        handle(request, response).catch((cause: unknown) => response.destroy(cause instanceof Error ? cause : new Error(String(cause))))
      },
      fault: (name, times = 1) => this.faults.arm(name, times),
      clearFaults: () => {
        this.faults.clear()
        this.held.release()
      },
      moveClock: (ms) => {
        this.#state.data.clockMs += ms
        this.#state.save()
      },
      close: async () => this.held.drop(),
      release: () => this.held.release(),
      countHeld: () => this.held.size,
      listRequests: () => log.entries,
    }
  }
}

export function toEntry({ method, request: { url = '/' } }: Pick<Call, 'method' | 'request'>): LoggedRequest {
  const { pathname, search } = new URL(url, 'http://simulator')
  return { method, path: pathname, query: search, status: 0 }
}

type Armed<Name extends string> = Pick<Faults<Name>, 'take'>

/** Reply of the first armed fault in the table, with one occurrence consumed; null if none is armed. */
export function armedReply<Name extends string>(faults: Armed<Name>, replies: Readonly<Partial<Record<Name, Reply>>>): Reply | null {
  for (const name of namesOf(replies)) if (faults.take(name)) return replies[name] ?? null
  return null
}

/** The reply unchanged, or broken by one of the two faults that every API has. */
export function brokenReply(faults: Armed<'huge' | 'truncated'>, reply: Reply, hugeBytes = 25 * 1_048_576): Reply {
  if (faults.take('huge')) return paddedReply(reply, hugeBytes)
  return faults.take('truncated') ? cutReply(reply) : reply
}

function namesOf<Name extends string>(table: Readonly<Partial<Record<Name, Reply>>>): Name[] {
  return Object.keys(table).filter((name): name is Name => name in table)
}
