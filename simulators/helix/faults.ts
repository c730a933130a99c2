/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  unauthorized: 'data: the key is refused although it is valid',
  revoked: 'data: the key was revoked permanently',
  forbidden: 'data: our address is no longer on the list',
  wrongCustomer: 'customer: the number was given to another one',
  errorWith200: 'data: an error in an envelope with 200, beside an empty list',
  repeatPage: 'movements beyond the first page: repeats the previous page',
  schemaDrift: 'accounts: unknown enum values, a wrong type, a number only',
} as const
export type FaultName = keyof typeof FAULTS
