/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  unauthorized: 'data: the key is refused although it is good',
  revoked: 'data: the key was taken back for good',
  forbidden: 'data: our address is no longer on the list',
  wrongCustomer: 'customer: the number was given to another one',
  errorWith200: 'data: an error in an envelope with 200, beside an empty list',
  repeatPage: 'movements beyond the first page: the page before once more',
  schemaDrift: 'accounts: unknown words, a wrong type, nothing but a number',
} as const
export type FaultName = keyof typeof FAULTS
