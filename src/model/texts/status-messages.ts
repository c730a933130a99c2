/** Why a connection is at fault or cannot be read now: what pages name to a developer, each with its own next step. */
export const FAULT_CODES = [
  // Only the owner can mend these.
  'accessWithdrawn',
  'consentExpired',
  'codeNeeded',
  'loginChanged',
  'otherEntity',
  'declined',
  'timedOut',
  // Time, the source or whoever runs this deployment can.
  'sourceLimited',
  'sourceUnavailable',
  'badData',
  'tooManySetAside',
  'deletionsHeldBack',
  'keysRefused',
  'internal',
] as const
export type FaultCode = (typeof FAULT_CODES)[number]

/** Each code in fixed words: what leaves the house with an event never repeats a source's own, which could hold secrets. */
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
 * Something that is told of a connection: `text` in English, for logs and whoever reads the API by eye, and the same as a code with its parts,
 * so that a page can say it in any language.
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
