/** Faults by name, with the effect of each on the next matching request. "Data" is a call for accounts or entries. */
export const FAULTS = {
  throttle: 'any: 429 without Retry-After, from the proxy in front',
  unavailable: 'any: 503, a page of HTML',
  html: 'data: a page of HTML with 200',
  truncated: 'data: truncated JSON',
  empty: 'data: 200 without a body',
  notRows: 'data: JSON that is not a list of records',
  slow: 'data: held until release()',
  huge: 'data: a body of 70 MB',
  unauthorized: 'data: the key is refused although it is valid',
  revoked: 'data: the key is revoked permanently',
  accessError: 'data: the rights to the model are gone',
  sessionExpired: 'data: the session is reported as ended',
  internal: 'data: an exception inside Odoo',
  databaseAway: 'data: the database cannot be opened',
  wrongCompany: 'companies: another database was restored in its place',
  schemaDrift: 'accounts: unknown enum values, a wrong type, missing fields, no id',
  repeatPage: 'accounts or entries beyond the first page: repeats the previous page',
  duplicateIds: 'accounts or entries beyond the first page: repeats the last three rows of the previous page',
} as const
export type FaultName = keyof typeof FAULTS
