import { Type } from 'typebox'
import { FAULT_CODES } from '../../model/texts/status-messages.ts'
import type { Connection } from '../../store/connections/connections.ts'
import { orNull, PlainTimestamp, strict } from './schemas.ts'

export const FaultCode = Type.String({ title: 'FaultCode', enum: [...FAULT_CODES] })

/** Fault of a connection, and what it waits for. */
export const faultProperties = {
  fault: orNull(Type.String({ description: 'Why it is at fault' })),
  faultCode: orNull(FaultCode),
  trouble: orNull(
    strict(
      { code: FaultCode, message: Type.String(), on: PlainTimestamp, nextAttemptOn: PlainTimestamp },
      { description: 'Why its last reading failed, where it is tried again by itself' },
    ),
  ),
}

export function presentFault({ fault, faultCode, trouble }: Pick<Connection, 'fault' | 'faultCode' | 'trouble'>) {
  const toPlain = (instant: string) => instant.replace(/Z$/, '')
  return {
    fault,
    faultCode,
    trouble: trouble && { code: trouble.code, message: trouble.message, on: toPlain(trouble.at), nextAttemptOn: toPlain(trouble.nextAt) },
  }
}

/** Members of a status message, apart from its text. */
export const statusMessageProperties = {
  detail: Type.String(),
  detailCode: orNull(Type.String({ description: 'The same as a code, where it has one', examples: ['counts'] })),
  detailParts: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), { description: 'What the words are made of' }),
}
