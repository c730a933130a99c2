import { createHmac } from 'node:crypto'
import { TLSSocket } from 'node:tls'
import { Check } from 'typebox/value'
import { type BankContext, type BankSimulator, createBankSimulator, textReply } from '../kit/bank-simulator.ts'
import { sendWebhook, type WebhookAnswer } from '../kit/http/webhook-sender.ts'
import type { SimulatorOptions } from '../simulator.ts'
import { answerApi } from './api/routes.ts'
import type { Context } from './context.ts'
import { buildInstitutions } from './data/institutions.ts'
import { FAULTS, type FaultName } from './faults.ts'
import { type Enrollment, TellerState } from './state.ts'
import { answerConnect } from './window/routes.ts'

export interface TellerSimulatorOptions extends SimulatorOptions {
  institutionCount?: number
  /** Accounts of an owner at Giant Holdings Bank; every 20th has `perDay` transactions a day for 100 days. */
  giant?: { accounts: number; perDay: number }
  /** Secret that signs webhooks. */
  webhookSecret?: string
  /** As in Teller's production: API calls without a client certificate are refused. */
  demandsCertificate?: boolean
}

export interface TellerSimulator extends BankSimulator<TellerState> {
  enrollments(): readonly Enrollment[]
  /** Breaks the enrollment; every call for it returns the reason until Teller Connect repairs it. */
  disconnect(enrollmentId: string, reason?: string): void
  /** Removes a transaction at the bank. */
  removeMovement(id: string): void
  /** Sends a webhook as Teller does and returns the response. Each of `secrets` signs it, as during a rotation. */
  sendWebhook(url: string, type: string, payload: object, options?: { at?: Date; secrets?: readonly string[] }): Promise<WebhookAnswer>
}

/** Simulator of Teller: API and Teller Connect. Source: https://teller.io/docs */
export function createTellerSimulator(options: TellerSimulatorOptions): TellerSimulator {
  const seed = options.seed ?? 1
  const institutions = buildInstitutions(seed, options.institutionCount ?? 300)
  const giant = options.giant ?? { accounts: 30, perDay: 3 }
  let context: Context | null = null
  const contextOf = (bank: BankContext<TellerState, FaultName>): Context => {
    context ??= { bank, seed, institutions, giant }
    return context
  }
  const simulator = createBankSimulator(options, {
    key: 'teller',
    faults: FAULTS,
    isState: (value): value is TellerState => Check(TellerState, value),
    initial: (): TellerState => ({ enrollments: [], removed: [], webhookCount: 0 }),
    isData: ({ path }) => path.startsWith('/accounts'),
    answer: (bank, call) => answerApi(contextOf(bank), call) ?? answerConnect(contextOf(bank), call) ?? textReply(404, 'Not found'),
  })
  const { state } = simulator
  const secret = options.webhookSecret ?? 'sandbox-webhook-secret'
  const now = options.now ?? (() => new Date())
  return {
    ...simulator,
    handle: (request, response) => {
      const isCalled = /\/(accounts|institutions)\b/.test(request.url ?? '')
      const isKnown = request.socket instanceof TLSSocket && request.socket.authorized
      if (!options.demandsCertificate || !isCalled || isKnown) return simulator.handle(request, response)
      const message = 'Missing certificate: Retry request using your Teller client certificate.'
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { code: 'bad_request', message } }))
    },
    enrollments: () => state.enrollments,
    disconnect: (enrollmentId, reason = 'disconnected.credentials_invalid') => {
      for (const enrollment of state.enrollments) if (enrollment.id === enrollmentId) enrollment.disconnected = reason
      simulator.save()
    },
    removeMovement: (id) => {
      state.removed.push(id)
      simulator.save()
    },
    sendWebhook: async (url, type, payload, { at = now(), secrets = [secret] } = {}) => {
      state.webhookCount += 1
      const body = JSON.stringify({ id: `wh_${state.webhookCount}`, payload, timestamp: at.toISOString(), type })
      const time = Math.floor(at.getTime() / 1000)
      const signatures = secrets.map((each) => `v1=${createHmac('sha256', each).update(`${time}.${body}`).digest('hex')}`)
      return await sendWebhook(url, body, {
        'content-type': 'application/json',
        'teller-signature': [`t=${time}`, ...signatures].join(','),
      })
    },
  }
}
