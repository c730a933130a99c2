import { type Call, HttpFront, type ServedControls } from '../kit/http/front.ts'
import { bearerToken } from '../kit/http/request.ts'
import { cutReply, htmlReply, jsonReply, type Reply, textReply } from '../kit/http/response.ts'
import { SimulatorState } from '../kit/simulator-state.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import type { Flavour } from './api/bank.ts'
import { granite } from './api/granite.ts'
import { harbourline } from './api/harbourline.ts'
import { peakfield } from './api/peakfield.ts'
import { FAULTS } from './faults.ts'
import { Tokens } from './oauth.ts'

export interface BankApiSimulator extends Simulator, ServedControls {
  /** Removes a transaction at the bank. */
  remove(transactionId: string): void
}

const FLAVOURS = { harbourline, peakfield, granite }
export type FlavourName = keyof typeof FLAVOURS

/** Simulator of a bank's own API, modelled on one of three platforms. */
export function createBankApiSimulator(name: FlavourName, options: SimulatorOptions): BankApiSimulator {
  const flavour = FLAVOURS[name]
  const state = new SimulatorState(options.stateFile, {})
  const front = new HttpFront(options, state, FAULTS)
  const { faults, now } = front
  const tokens = new Tokens(faults, now)

  function answer({ request, path, query, form }: Call): Reply {
    const address = `${options.baseUrl()}${flavour.tokenPath}`
    if (path === flavour.tokenPath && form !== null) return tokens.answer(request, form, address)
    if (flavour.discovery && path === '/.well-known/openid-configuration') {
      return jsonReply(200, { issuer: options.baseUrl(), token_endpoint: address })
    }
    if (request.method !== 'GET') return jsonReply(404, {})
    // In the sandbox, the configured address has no path.
    const own = path.startsWith(`${flavour.apiPath}/`) ? path.slice(flavour.apiPath.length) : path
    return failBefore(flavour) ?? guarded(request, own, query)
  }

  function failBefore({ throttled }: Flavour): Reply | null {
    if (faults.take('unavailable')) return jsonReply(503, {})
    if (faults.take('html')) return htmlReply(200, '<!doctype html><html><body><h1>Maintenance</h1></body></html>')
    if (faults.take('throttle')) return textReply(429, 'slow down', { 'retry-after': '30' })
    if (faults.take('throttleBare')) return textReply(429, 'slow down')
    if (faults.take('throttleWord')) return throttled
    if (faults.take('unauthorized')) return jsonReply(401, {})
    return faults.take('forbidden') ? jsonReply(403, {}) : null
  }

  function guarded(request: Call['request'], path: string, query: URLSearchParams): Reply {
    if (!tokens.isGood(bearerToken(request))) return jsonReply(401, {})
    const lacks = Object.entries(flavour.headers).some(([header, value]) => request.headers[header] !== value)
    if (lacks) return jsonReply(403, {})
    const base = `${options.baseUrl()}${flavour.apiPath}`
    const removed = new Set(state.editsOf('transactions').removed)
    const reply = flavour.answer({ path, query, now: now(), faults, base, removed })
    return reply.status === 200 && faults.take('truncated') ? cutReply(reply) : reply
  }

  return {
    key: flavour.key,
    ...front.serve(answer),
    remove: (transactionId) => {
      state.editsOf('transactions').removed.push(transactionId)
      state.save()
    },
  }
}
