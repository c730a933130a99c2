import { Type } from 'typebox'
import { InstantParameter } from '../../lists/instant-parameter.ts'

/**
 * Query parameters of a list of records besides filter and page. NOTE `OrderBy` has no default: the default order is
 * not one property's, and the records are stored in it.
 */
export function viewParameters(orderBy: readonly string[]) {
  const description = 'The one property that orders the list; accounts by number and name, transactions by date when left out'
  return {
    asOf: InstantParameter,
    modifiedSince: InstantParameter,
    includeDeleted: Type.Optional(Type.Boolean({ description: 'Deleted records too, marked as such' })),
    OrderBy: Type.Optional(Type.String({ enum: [...orderBy], description })),
  }
}
