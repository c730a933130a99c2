/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  revoked: 'data: the enrollment is disconnected',
  loginRequired: 'data: the bank wants a new login',
  forbidden: 'data: the product is not enabled',
  missingCertificate: 'data: the client certificate is missing',
  accountClosed: 'data: an account was closed since it was listed',
  repeatedPage: 'data: each page after the first repeats the previous one',
} as const
export type FaultName = keyof typeof FAULTS
