import { type BankContext, jsonReply } from '../kit/bank-simulator.ts'
import type { Reply } from '../kit/http/response.ts'
import type { FaultName } from './faults.ts'
import type { StripeState } from './state.ts'

export interface Context {
  bank: BankContext<StripeState, FaultName>
  seed: number
  secretKey: string
  /** Accounts of an owner at Giant Holdings Bank. */
  giant: { accounts: number; perDay: number }
}

/** Source: https://docs.stripe.com/api/errors */
export function failure(status: number, message: string, details: { code?: string; param?: string; type?: string } = {}): Reply {
  return jsonReply(status, { error: { type: 'invalid_request_error', message, ...details } })
}

export function secondsOf(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}
