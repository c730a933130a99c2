import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Faults } from './kit/faults.ts'
import { controlsOf } from './kit/http/controls.ts'
import { isFields } from './kit/http/json-body.ts'
import { type LoggedRequest, readBody, withoutPrefix } from './kit/http/request.ts'
import { cutReply, type Reply } from './kit/http/response.ts'
import { StateStore } from './kit/state.ts'
import type { Simulator, SimulatorOptions } from './simulator.ts'

export interface Call {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: string
}

/** Faults that every server has; "data" are the calls that the bank's own part calls so. */
const COMMON_FAULTS = {
  throttle: 'any: 429 with Retry-After: 31',
  outage: 'any: 503, a page of HTML',
  badGateway: 'any: 502 of the proxy in front',
  html: 'data: a page of HTML with 200',
  truncated: 'data: JSON that is cut off',
  empty: 'data: 200 without a body',
}
type CommonFault = keyof typeof COMMON_FAULTS

/** What the part of one bank works with. */
export interface Desk<State, Fault extends string> {
  /** Kept over restarts; call `save` after a change. */
  state: State
  save(): void
  now(): Date
  baseUrl(): string
  /** Whether the fault is armed; uses it up once. */
  take(name: Fault | CommonFault): boolean
}

/** The part of one bank: its faults, what a restart must not forget, and its answers. */
export interface Bank<State, Fault extends string> {
  key: string
  faults: Readonly<Record<Fault, string>>
  isState(value: unknown): value is State
  initial(): State
  isData(call: Call): boolean
  answer(desk: Desk<State, Fault>, call: Call): Reply
  /** The answer to a caller who asks too often, where it is not a plain 429. */
  throttled?(): Reply
}

export interface BankSimulator<State> extends Simulator {
  state: State
  save(): void
  /** The newest 10,000 requests, oldest first. */
  listRequests(): readonly LoggedRequest[]
}

const LOG_LENGTH = 10_000

/** A simulated bank that answers from a state of its own: clock, faults, log and state file are the same for all. */
export function createBankSimulator<State, Fault extends string>(
  options: SimulatorOptions,
  bank: Bank<State, Fault>,
): BankSimulator<State> {
  const kept = new StateStore(options.stateFile, { clockMs: 0, state: bank.initial() }, (value) => isKept(value, bank))
  const { state } = kept.data
  const log: LoggedRequest[] = []
  const armed = new Faults<string>({ ...COMMON_FAULTS, ...bank.faults })
  const take = (name: string) => armed.take(name)
  const save = () => kept.save()
  const desk: Desk<State, Fault> = {
    state,
    save,
    now: () => new Date((options.now?.() ?? new Date()).getTime() + kept.data.clockMs),
    baseUrl: options.baseUrl,
    take,
  }

  function reply(call: Call): Reply {
    if (take('throttle')) return bank.throttled?.() ?? { ...textReply(429, 'Too many requests'), headers: { 'retry-after': '31' } }
    if (take('outage')) return htmlReply(503, 'Service Unavailable')
    if (take('badGateway')) return htmlReply(502, 'Bad Gateway')
    const usual = bank.answer(desk, call)
    if (!bank.isData(call)) return usual
    if (take('html')) return htmlReply(200, 'Sign in')
    if (take('empty')) return { ...usual, status: 200, body: '' }
    return take('truncated') ? cutReply(usual) : usual
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://simulator')
    const call: Call = {
      method: request.method ?? 'GET',
      path: withoutPrefix(url.pathname, options.baseUrl()),
      query: url.searchParams,
      headers: request.headers,
      body: await readBody(request),
    }
    const { status, type, body, headers } = reply(call)
    log.push({ method: call.method, path: call.path, query: url.search, status })
    if (log.length > LOG_LENGTH) log.shift()
    const bytes = Buffer.from(body)
    response.writeHead(status, { 'content-type': type, 'content-length': bytes.length, ...headers }).end(bytes)
  }

  return {
    key: bank.key,
    state,
    save,
    ...controlsOf({ answer: handle, faults: armed, state: kept }),
    listRequests: () => log,
  }
}

export function jsonReply(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return { status, type: 'application/json', body: JSON.stringify(body), headers }
}

export function textReply(status: number, body: string): Reply {
  return { status, type: 'text/plain; charset=utf-8', body }
}

export function htmlReply(status: number, title: string): Reply {
  return { status, type: 'text/html; charset=utf-8', body: `<!doctype html><title>${title}</title><h1>${title}</h1>` }
}

/** User and password of `Authorization: Basic`; null when there are none. */
export function readBasic(headers: IncomingHttpHeaders): { user: string; password: string } | null {
  const [, encoded] = /^Basic (\S+)$/.exec(headers.authorization ?? '') ?? []
  const [, user, password] = /^([^:]*):([\s\S]*)$/.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? []
  return user === undefined || password === undefined ? null : { user, password }
}

function isKept<State>(value: unknown, bank: Pick<Bank<State, string>, 'isState'>): value is { clockMs: number; state: State } {
  return isFields(value) && typeof value.clockMs === 'number' && bank.isState(value.state)
}
