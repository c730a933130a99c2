/**
 * Faults by name, with the effect of each on the next matching request. "Data" is a list of accounts or of ledger
 * entries.
 */
export const FAULTS = {
  throttle: 'any: 429 with Retry-After, as the site’s own rate limit does',
  updating: 'any: 503, the page of a site that is being updated',
  badGateway: 'any: 502 of the proxy in front, HTML',
  noSite: 'any: 404, HTML: the site does not exist',
  html: 'data: a page of HTML with 200',
  truncated: 'data: truncated JSON',
  empty: 'data: 200 without a body',
  notRows: 'data: JSON without a list of records',
  slow: 'data: held until release()',
  huge: 'data: a body of 70 MB',
  unauthorized: 'data: the key is refused although it is valid',
  revoked: 'data: the secret was replaced permanently',
  forbidden: 'data: the role that may read is gone',
  refusedField: 'data: 417, a field that this site does not have',
  deadlock: 'data: 508, the database timed out',
  internal: 'data: 500, an exception inside ERPNext',
  wrongCompany: 'companies: another site was restored in its place',
  schemaDrift: 'accounts: unknown enum values, a wrong type, missing fields, nulls, no name',
  repeatPage: 'accounts or ledger beyond the first page: repeats the previous page',
  duplicateIds: 'accounts or ledger beyond the first page: repeats the last three rows of the previous page',
} as const
export type FaultName = keyof typeof FAULTS
