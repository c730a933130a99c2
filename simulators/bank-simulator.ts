import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Simulator, SimulatorOptions } from './simulator.ts'

/** One answer, not yet sent. */
export interface Reply {
  status: number
  type: string
  body: string
  headers?: Record<string, string>
}

export interface Call {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: string
}

/** One request as it was answered; headers are not kept. */
export interface LoggedRequest {
  method: string
  path: string
  query: string
  status: number
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
  const kept = readState(options.stateFile, bank) ?? { clockMs: 0, state: bank.initial() }
  const armed = new Map<string, number>()
  const log: LoggedRequest[] = []
  const known: Record<string, string> = { ...COMMON_FAULTS, ...bank.faults }

  const take = (name: string): boolean => {
    const left = armed.get(name) ?? 0
    if (left > 0) armed.set(name, left - 1)
    return left > 0
  }
  const save = () => writeState(options.stateFile, kept)
  const desk: Desk<State, Fault> = {
    state: kept.state,
    save,
    now: () => new Date((options.now?.() ?? new Date()).getTime() + kept.clockMs),
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
    return take('truncated') ? { ...usual, body: usual.body.slice(0, Math.floor(usual.body.length * 0.6)) } : usual
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
    state: kept.state,
    save,
    handle: (request, response) => {
      handle(request, response).catch((cause: unknown) => response.destroy(cause instanceof Error ? cause : new Error(String(cause))))
    },
    fault: (name, times = 1) => {
      if (!Object.hasOwn(known, name)) throw new Error(`no fault "${name}"; there are: ${Object.keys(known).join(', ')}`)
      armed.set(name, (armed.get(name) ?? 0) + times)
    },
    clearFaults: () => armed.clear(),
    moveClock: (ms) => {
      kept.clockMs += ms
      save()
    },
    close: async () => undefined,
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

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function readState<State>(file: string | undefined, bank: Pick<Bank<State, string>, 'isState'>): { clockMs: number; state: State } | null {
  if (file === undefined || !existsSync(file)) return null
  const found: { clockMs?: unknown; state?: unknown } = JSON.parse(readFileSync(file, 'utf8'))
  if (typeof found.clockMs !== 'number' || !bank.isState(found.state)) throw new Error(`${file} is not the state of this simulator`)
  return { clockMs: found.clockMs, state: found.state }
}

/** Written aside and renamed, so that it is never half a file. */
function writeState(file: string | undefined, kept: unknown): void {
  if (file === undefined) return
  const aside = `${file}.${process.pid}.new`
  writeFileSync(aside, JSON.stringify(kept), { mode: 0o600 })
  renameSync(aside, file)
}

/** The simulator may be mounted below a path of the server that carries it. */
function withoutPrefix(path: string, baseUrl: string): string {
  const prefix = URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/$/, '') : ''
  return prefix !== '' && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
}
