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
  'keysRefused',
  'internal',
] as const
export type FaultCode = (typeof FAULT_CODES)[number]

type Parts = Readonly<Record<string, string | number>>

/**
 * Something that is told of a connection: `text` in English, for logs and whoever reads the API by eye, and the same as a code with its parts,
 * so that a page can say it in any language.
 */
export interface Told {
  code: string
  text: string
  parts: Parts
}

export interface ToldFault extends Told {
  code: FaultCode
}

export function tell(code: string, text: string, parts: Parts = {}): Told {
  return { code, text, parts }
}

export function tellFault(code: FaultCode, text: string, parts: Parts = {}): ToldFault {
  return { code, text, parts }
}
