/** Properties for filtering feeds. */
export const FEED_FILTER = {
  createdOn: 'date',
  checkedOn: 'date',
  id: 'uuid',
  name: 'string',
  companyId: 'uuid',
  isPaused: 'boolean',
} as const

/** Properties for filtering their files. */
export const FILE_FILTER = { settledOn: 'date', id: 'uuid', name: 'string', companyId: 'uuid', sessionId: 'uuid', state: 'string' } as const
