import { type BankContext, jsonReply } from '../bank-simulator.ts'
import type { Reply } from '../kit/http/response.ts'
import type { StripeState } from './state.ts'

export const FAULTS = {
  revoked: 'data: every account was disconnected',
  invalidKey: 'any: the secret key is not known',
  noPermission: 'any: the restricted key does not open this',
  placeGone: 'data: the row behind which a page begins is gone',
  repeatedPage: 'data: a page beyond the first gives the page before once more',
  accountInactive: 'data: the account went inactive',
}
export type StripeFault = keyof typeof FAULTS

export interface StripeWorld {
  context: BankContext<StripeState, StripeFault>
  seed: number
  secretKey: string
  /** What an owner of Giant Holdings Bank opens. */
  giant: { accounts: number; perDay: number }
}

/** Source: https://docs.stripe.com/api/errors */
export function failure(status: number, message: string, told: { code?: string; param?: string; type?: string } = {}): Reply {
  return jsonReply(status, { error: { type: 'invalid_request_error', message, ...told } })
}

export function secondsOf(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}
