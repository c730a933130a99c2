import { Conflict, InvalidCallbackUrl } from '../../webhooks/errors.ts'
import { badField, conflict } from './errors.ts'

/** Maps errors of the webhooks room to responses for the caller. */
export async function mapWebhookErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Conflict) throw conflict(`${error.message[0]?.toUpperCase()}${error.message.slice(1)}.`)
    if (error instanceof InvalidCallbackUrl) throw badField('callbackUrl', error.message.replace(/^callbackUrl /, ''))
    throw error
  }
}
