/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  revoked: 'data: every account was disconnected',
  invalidKey: 'any: the secret key is not known',
  noPermission: 'any: the restricted key gives no access to this',
  placeGone: 'data: the row after which a page begins was deleted',
  repeatedPage: 'data: each page after the first repeats the previous one',
  accountInactive: 'data: the account went inactive',
} as const
export type FaultName = keyof typeof FAULTS
