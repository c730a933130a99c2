import { Type } from 'typebox'
import type { ListQuery } from './list-query.ts'

/** Parameters of a list that can only be paged. */
export const pageParameters = {
  PageNumber: Type.Optional(Type.Integer({ minimum: 1, maximum: 9999, default: 1, description: 'Which page, from 1' })),
  PageSize: Type.Optional(Type.Integer({ minimum: 10, maximum: 500, default: 100, description: 'Most items on a page' })),
}

export interface PageRequest {
  pageNumber: number
  pageSize: number
  limit: number
  offset: number
}

export function readPageRequest(query: Pick<ListQuery, 'PageNumber' | 'PageSize'>): PageRequest {
  const { PageNumber: pageNumber = 1, PageSize: pageSize = 100 } = query
  return { pageNumber, pageSize, limit: pageSize, offset: (pageNumber - 1) * pageSize }
}
