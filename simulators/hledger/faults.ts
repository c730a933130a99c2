/** Faults by name and what each does to the next fitting request. */
export const FAULTS = {
  unauthorized: 'any: the login is refused although it is good',
  revoked: 'any: the login was taken away for good',
  forbidden: 'data: the server was started without the right to view',
} as const
export type FaultName = keyof typeof FAULTS
