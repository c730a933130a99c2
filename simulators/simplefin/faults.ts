/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  unauthorized: 'accounts: 403 although the access is valid',
  revoked: 'accounts: the owner has revoked the access permanently',
  unpaid: 'accounts: 402, the subscription has ended',
  reauthenticate: 'accounts: an error asks the owner to sign in at a bank',
  bankDown: 'accounts: an error says that a bank does not answer, and its accounts are missing',
  quota: 'accounts: an error says that there were too many requests',
  openClaim: 'claim: the access URL is not secure',
  oddClaim: 'claim: not an access URL',
} as const
export type FaultName = keyof typeof FAULTS
