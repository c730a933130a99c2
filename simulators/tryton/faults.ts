/** Faults by name, with the effect of each on the next matching request. */
export const FAULTS = {
  unauthorized: 'data: the session counts as expired',
  revoked: 'login: refused although the password is correct',
  forbidden: 'data: the user may not read it (UserError)',
  unavailable: 'data: the database is away (404)',
  internalError: 'data: an error of the server, sent with 200',
} as const
export type FaultName = keyof typeof FAULTS
