import type { SimulatedInstitution } from '../kit/data/institutions.ts'
import { type Fields, isFields } from '../kit/http/json-body.ts'
import { invalidField, itemFailure, missingField, PlaidFailure } from './api/failures.ts'
import { advanceItem } from './data/ledger.ts'
import type { Item, PlaidState } from './state.ts'

/** Context shared by the operations and the pages. */
export interface Context {
  seed: number
  state: PlaidState
  directory: readonly SimulatedInstitution[]
  /** The simulator's clock, which `moveClock` moves. */
  nowMs(): number
  baseUrl(): string
  institution(id: string): SimulatedInstitution | null
  save(): void
  /** Queues a webhook; a null target is skipped. */
  send(target: string | null, body: Record<string, unknown>): void
}

export function requireText(body: Fields, name: string): string {
  const value = body[name]
  if (value === undefined || value === null) throw missingField(name)
  if (typeof value !== 'string' || value === '') throw invalidField(`${name} must be a non-empty string`)
  return value
}

export function optionalText(body: Fields, name: string): string | null {
  return body[name] === undefined || body[name] === null ? null : requireText(body, name)
}

export function textList(body: Fields, name: string): string[] | null {
  const value = body[name]
  if (value === undefined || value === null) return null
  if (!Array.isArray(value)) throw invalidField(`${name} must be an array`)
  return value.map((entry: unknown) => {
    if (typeof entry !== 'string') throw invalidField(`${name} must be an array of strings`)
    return entry
  })
}

export function requireInteger(body: Fields, name: string, low: number, high: number): number {
  const value = body[name]
  if (value === undefined || value === null) throw missingField(name)
  if (typeof value !== 'number' || !Number.isInteger(value) || value < low || value > high) {
    throw invalidField(`${name} must be an integer from ${low} to ${high}`)
  }
  return value
}

export function optionsOf(body: Fields): Fields {
  const options = body.options ?? {}
  if (!isFields(options)) throw invalidField('options must be an object')
  return options
}

/** The item of the request's access token, advanced to today. */
export function requireItem(context: Context, body: Fields): Item {
  const token = requireText(body, 'access_token')
  if (!token.startsWith('access-')) {
    throw new PlaidFailure(400, 'INVALID_INPUT', 'INVALID_ACCESS_TOKEN', 'provided access token is in an invalid format')
  }
  const item = Object.values(context.state.items).find((candidate) => candidate.accessToken === token)
  if (!item || item.removed) {
    throw new PlaidFailure(400, 'ITEM_ERROR', 'ITEM_NOT_FOUND', 'the Item you requested cannot be found. It may have been removed')
  }
  if (item.error === null && advanceItem(item, context.seed, context.nowMs())) context.save()
  return item
}

/** Like `requireItem`, for data that needs a working login. */
export function requireHealthyItem(context: Context, body: Fields): Item {
  const item = requireItem(context, body)
  if (item.error !== null) throw itemFailure(item.error)
  return item
}
