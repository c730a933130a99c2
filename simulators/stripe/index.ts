import { createHmac } from 'node:crypto'
import { Check } from 'typebox/value'
import { type BankContext, type BankSimulator, createBankSimulator, textReply } from '../kit/bank-simulator.ts'
import { sendWebhook, type WebhookAnswer } from '../kit/http/webhook-sender.ts'
import type { SimulatorOptions } from '../simulator.ts'
import { toAccount } from './api/accounts.ts'
import { answerApi } from './api/routes.ts'
import { type Context, failure } from './context.ts'
import { FAULTS, type FaultName } from './faults.ts'
import { type Account, StripeState } from './state.ts'
import { answerWindow } from './window/routes.ts'

export interface StripeSimulatorOptions extends SimulatorOptions {
  /** The only key that is accepted. */
  secretKey?: string
  /** Accounts of an owner at Giant Holdings Bank; every 60th has `perDay` transactions a day for 100 days. */
  giant?: { accounts: number; perDay: number }
  /** Secret that signs webhooks. */
  webhookSecret?: string
}

export interface StripeSimulator extends BankSimulator<StripeState> {
  accounts(): readonly Account[]
  /** Changes the account as the bank or the owner would: `inactive`, `disconnected`, `active`; another balance. */
  editAccount(id: string, changes: Partial<Pick<Account, 'status' | 'balance' | 'name'>>): void
  /**
   * Sends an event about an account as Stripe does and returns the response. Each of `secrets` signs it, as during a
   * rotation.
   */
  sendEvent(url: string, type: string, accountId: string, options?: { at?: Date; secrets?: readonly string[] }): Promise<WebhookAnswer>
}

/** Simulator of Stripe Financial Connections: API and Stripe.js. Source: https://docs.stripe.com/api/financial_connections */
export function createStripeSimulator(options: StripeSimulatorOptions): StripeSimulator {
  let context: Context | null = null
  const contextOf = (bank: BankContext<StripeState, FaultName>): Context => {
    const { seed = 1, secretKey = 'sk_test_sandbox', giant = { accounts: 150, perDay: 4 } } = options
    context ??= { bank, seed, secretKey, giant }
    return context
  }
  const simulator = createBankSimulator(options, {
    key: 'stripe',
    faults: FAULTS,
    isState: (value): value is StripeState => Check(StripeState, value),
    initial: (): StripeState => ({ customers: [], sessions: [], accounts: [], eventCount: 0 }),
    isData: ({ path }) => path.startsWith('/v1/financial_connections/'),
    answer: (bank, call) => answerApi(contextOf(bank), call) ?? answerWindow(contextOf(bank), call) ?? textReply(404, 'Not found'),
    throttled: () => failure(429, 'Request rate limit exceeded', { code: 'rate_limit' }),
  })
  const { state } = simulator
  const secret = options.webhookSecret ?? 'sandbox-webhook-secret'
  const now = options.now ?? (() => new Date())
  return {
    ...simulator,
    accounts: () => state.accounts,
    editAccount: (id, changes) => {
      for (const account of state.accounts) if (account.id === id) Object.assign(account, changes)
      simulator.save()
    },
    sendEvent: async (url, type, accountId, { at = now(), secrets = [secret] } = {}) => {
      state.eventCount += 1
      const account = state.accounts.find(({ id }) => id === accountId)
      const time = Math.floor(at.getTime() / 1000)
      const object = account && context ? toAccount(context, account) : {}
      const event = {
        id: `evt_${state.eventCount}`,
        object: 'event',
        api_version: '2026-10-28.endive',
        created: time,
        data: { object },
        livemode: false,
        type,
      }
      const body = JSON.stringify(event)
      const signatures = secrets.map((each) => `v1=${createHmac('sha256', each).update(`${time}.${body}`).digest('hex')}`)
      return await sendWebhook(url, body, {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': [`t=${time}`, ...signatures].join(','),
      })
    },
  }
}
