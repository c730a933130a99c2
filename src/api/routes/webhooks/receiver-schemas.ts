import { Type } from 'typebox'
import { BEHAVIOURS } from '../../../store/webhooks/receivers.ts'
import { PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import { EventName, Secret } from './webhook-schemas.ts'

export const Behaviour = Type.Enum([...BEHAVIOURS], {
  description: 'How it answers: 204, 500, not within the time that a delivery waits, or 410',
})
export const ReceiverShape = strict(
  {
    id: Uuid,
    subscriptionId: Uuid,
    event: EventName,
    address: Type.String({ description: 'Where its subscription sends to' }),
    behaviour: Behaviour,
    createdOn: PlainTimestamp,
  },
  { title: 'Receiver' },
)
export const NewReceiver = strict({ ...ReceiverShape.properties, secret: Secret }, { title: 'NewReceiver' })
export const RequestShape = strict(
  {
    id: Uuid,
    receivedOn: PlainTimestamp,
    answered: Type.Integer({ description: 'The status that it was answered with' }),
    headers: Type.Record(Type.String(), Type.String()),
    bodyBytes: Type.Integer(),
    checks: strict({
      timestamp: Type.Boolean({ description: 'Its time was within five minutes of ours' }),
      headers: Type.Boolean({ description: 'A signature of the headers fits an active secret of the subscription' }),
      body: Type.Boolean({ description: 'So does the signature inside the body' }),
    }),
    isRepeat: Type.Boolean({ description: 'A request with the same webhook-id came before' }),
  },
  { title: 'ReceivedRequest' },
)
export const WholeRequest = strict(
  { ...RequestShape.properties, body: Type.String({ description: 'As it came, read as UTF-8' }) },
  { title: 'WholeRequest' },
)
