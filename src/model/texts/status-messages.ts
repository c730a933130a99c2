/** Fault codes: why a connection is at fault or cannot be read now; each has its own next step. */
export const FAULT_CODES = [
  // To be fixed by the owner only.
  'accessWithdrawn',
  'consentExpired',
  'codeNeeded',
  'loginChanged',
  'otherEntity',
  'declined',
  'timedOut',
  // To be fixed by time, the source or the operator.
  'sourceLimited',
  'sourceUnavailable',
  'badData',
  'tooManySetAside',
  'deletionsHeldBack',
  'keysRefused',
  'internal',
] as const
export type FaultCode = (typeof FAULT_CODES)[number]

/** Fixed text per code: events never repeat a source's own words, which could contain secrets. */
export const FAULT_MESSAGES: Readonly<Record<FaultCode, string>> = {
  accessWithdrawn: 'The source no longer gives access; the owner has to connect again.',
  consentExpired: 'The consent of the owner has run out; the owner has to agree again.',
  codeNeeded: 'The source asks the owner for a code; the owner has to connect again.',
  loginChanged: 'The login at the source has changed; the owner has to connect again.',
  otherEntity: 'The owner connected other books or another bank login than before.',
  declined: 'The owner declined.',
  timedOut: 'The owner did not come back in time.',
  sourceLimited: 'The source allows no more requests for now.',
  sourceUnavailable: 'The source cannot be reached.',
  badData: 'The source answered with data that cannot be read.',
  tooManySetAside: 'Too many records of the source could not be normalized.',
  deletionsHeldBack: 'More than half of the records are missing at the source; they are kept.',
  keysRefused: 'The source refuses the keys that it is asked with.',
  internal: 'The sync failed inside the service.',
}

type Parts = Readonly<Record<string, string | number>>

/**
 * Status message of a connection: `text` in English, for logs and readers of the API, and the same as a code with
 * parts, so that a page can translate it.
 */
export interface StatusMessage {
  code: string
  text: string
  parts: Parts
}

export interface FaultMessage extends StatusMessage {
  code: FaultCode
}

export function statusMessage(code: string, text: string, parts: Parts = {}): StatusMessage {
  return { code, text, parts }
}

export function faultMessage(code: FaultCode, text: string, parts: Parts = {}): FaultMessage {
  return { code, text, parts }
}
