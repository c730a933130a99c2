/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  revoked: 'data: every account was disconnected',
  invalidKey: 'any: the secret key is not known',
  noPermission: 'any: the restricted key does not open this',
  placeGone: 'data: the row behind which a page begins is gone',
  repeatedPage: 'data: a page beyond the first gives the page before once more',
  accountInactive: 'data: the account went inactive',
} as const
export type FaultName = keyof typeof FAULTS
