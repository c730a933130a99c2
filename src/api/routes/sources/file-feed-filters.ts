/** Properties by which feeds can be filtered. */
export const FEED_FILTER = {
  createdOn: 'date',
  checkedOn: 'date',
  id: 'uuid',
  name: 'string',
  companyId: 'uuid',
  isPaused: 'boolean',
} as const

/** Properties by which their files can be filtered. */
export const FILE_FILTER = { settledOn: 'date', id: 'uuid', name: 'string', companyId: 'uuid', sessionId: 'uuid', state: 'string' } as const
