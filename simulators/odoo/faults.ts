/** Faults by name, with the effect of each on the next matching request. "Data" is a call for accounts or entries. */
export const FAULTS = {
  throttle: 'any: 429 without Retry-After, from the proxy in front',
  unavailable: 'any: 503, a page of HTML',
  html: 'data: a page of HTML with 200',
  truncated: 'data: JSON that is cut off',
  empty: 'data: 200 without a body',
  notRows: 'data: JSON that is no list of records',
  slow: 'data: held until release()',
  huge: 'data: a body of 70 MB',
  unauthorized: 'data: the key is refused although it is good',
  revoked: 'data: the key is taken away for good',
  accessError: 'data: the rights to the model are gone',
  sessionExpired: 'data: the session is said to have ended',
  internal: 'data: an exception inside Odoo',
  databaseAway: 'data: the database cannot be opened',
  wrongCompany: 'companies: another database was restored in its place',
  schemaDrift: 'accounts: unknown words, a wrong type, missing fields, no id',
  repeatPage: 'accounts or entries beyond the first page: the page before once more',
  duplicateIds: 'accounts or entries beyond the first page: the last three of the page before once more',
} as const
export type FaultName = keyof typeof FAULTS
