import { Conflict, InvalidCallbackUrl, UnknownEvent } from '../../webhooks/errors.ts'
import { badField, conflict, notFound } from './errors.ts'

/** Maps errors of the webhooks room to responses for the caller. */
export async function mapWebhookErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Conflict) throw conflict(`${error.message[0]?.toUpperCase()}${error.message.slice(1)}.`)
    if (error instanceof InvalidCallbackUrl) throw badField('callbackUrl', error.message.replace(/^callbackUrl /, ''))
    if (error instanceof UnknownEvent) throw notFound('event')
    throw error
  }
}
