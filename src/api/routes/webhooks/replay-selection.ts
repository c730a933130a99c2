import type { Static } from 'typebox'
import type { ReplaySelection } from '../../../store/webhooks/delivery-replays.ts'
import { badField, badRequest } from '../../errors/errors.ts'
import { readInstant } from '../../lists/instant-parameter.ts'
import type { ReplayBody } from './webhook-schemas.ts'

/** Events that a request selects for redelivery. Throws a 400 unless they are selected in exactly one way. */
export function toSelection(body: Static<typeof ReplayBody>): ReplaySelection {
  const { eventId, from, to, undeliveredSince } = body
  const given = Object.keys(body).sort().join()
  if (given === 'eventId' && eventId) return { events: 'one', eventId }
  if (given === 'from,to') return { events: 'range', from: instant('from', from), to: instant('to', to) }
  if (given === 'undeliveredSince') return { events: 'undelivered', since: instant('undeliveredSince', undeliveredSince) }
  throw badRequest('Give eventId, or from and to, or undeliveredSince.')
}

function instant(field: string, text: string | undefined): Date {
  const at = readInstant(field, text)
  if (!at) throw badField(field, 'is required')
  return at
}
