import type { IncomingHttpHeaders } from 'node:http'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { armedReply, type Call as FrontCall, HttpFront, type ServedControls, toEntry } from './http/front.ts'
import { isFields } from './http/json-body.ts'
import { cutReply, type Reply, sendWith } from './http/response.ts'
import { StateStore } from './state.ts'

export type Call = Pick<FrontCall, 'method' | 'path' | 'query' | 'headers' | 'body'>

/** Faults that every server has; "data" are the calls that the bank's own code marks as such. */
const COMMON_FAULTS = {
  throttle: 'any: 429 with Retry-After: 31',
  outage: 'any: 503, a page of HTML',
  badGateway: 'any: 502 of the proxy in front',
  html: 'data: a page of HTML with 200',
  truncated: 'data: truncated JSON',
  empty: 'data: 200 without a body',
}
type CommonFault = keyof typeof COMMON_FAULTS

/** Context of the bank's own code. */
export interface BankContext<State, Fault extends string> {
  /** Kept over restarts; call `save` after a change. */
  state: State
  save(): void
  now(): Date
  baseUrl(): string
  /** Whether the fault is armed; consumes one occurrence. */
  take(name: Fault | CommonFault): boolean
}

/** The bank's own code: its faults, its persistent state, and its answers. */
export interface Bank<State, Fault extends string> {
  key: string
  faults: Readonly<Record<Fault, string>>
  isState(value: unknown): value is State
  initial(): State
  isData(call: Call): boolean
  answer(context: BankContext<State, Fault>, call: Call): Reply
  /** Reply to a caller over the rate limit; defaults to a plain 429. */
  throttled?(): Reply
}

export interface BankSimulator<State> extends Simulator, ServedControls {
  state: State
  save(): void
}

/** Simulator of a bank that answers from its own state; clock, faults, log and state file are shared code. */
export function createBankSimulator<State, Fault extends string>(
  options: SimulatorOptions,
  bank: Bank<State, Fault>,
): BankSimulator<State> {
  const isKept = (value: unknown): value is { clockMs: number; state: State } =>
    isFields(value) && typeof value.clockMs === 'number' && bank.isState(value.state)
  const store = new StateStore(options.stateFile, { clockMs: 0, state: bank.initial() }, isKept)
  const { state } = store.data
  const front = new HttpFront<string>(options, store, { ...COMMON_FAULTS, ...bank.faults })
  const { faults, now, baseUrl } = front
  const save = () => store.save()
  const context: BankContext<State, Fault> = { state, save, now, baseUrl, take: (name) => faults.take(name) }
  const failures = {
    throttle: bank.throttled?.() ?? { ...textReply(429, 'Too many requests'), headers: { 'retry-after': '31' } },
    outage: htmlReply(503, 'Service Unavailable'),
    badGateway: htmlReply(502, 'Bad Gateway'),
  }

  function answer(call: Call): Reply {
    const failure = armedReply(faults, failures)
    if (failure) return failure
    const usual = bank.answer(context, call)
    if (!bank.isData(call)) return usual
    const broken = armedReply(faults, { html: htmlReply(200, 'Sign in'), empty: { ...usual, status: 200, body: '' } })
    return broken ?? (faults.take('truncated') ? cutReply(usual) : usual)
  }

  return {
    key: bank.key,
    state,
    save,
    ...front.serveLogged({
      answer,
      toEntry: (call) => ({ ...toEntry(call), path: call.path }),
      send: sendWith(({ type }) => ({ 'content-type': type })),
    }),
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

/** User and password of `Authorization: Basic`; null if there are none. */
export function readBasic(headers: IncomingHttpHeaders): { user: string; password: string } | null {
  const [, encoded] = /^Basic (\S+)$/.exec(headers.authorization ?? '') ?? []
  const [, user, password] = /^([^:]*):([\s\S]*)$/.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? []
  return user === undefined || password === undefined ? null : { user, password }
}
