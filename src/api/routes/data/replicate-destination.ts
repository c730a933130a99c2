import { Type } from 'typebox'
import { recordChange } from '../../../audit/record.ts'
import { readChanges } from '../../../store/changes/read-changes.ts'
import { findReplication, rewindReplication, startReplicationNow } from '../../../store/changes/replications.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { findDestination } from '../../../store/exports/destinations.ts'
import { operators } from '../../access/caller.ts'
import { conflict, orNotFound } from '../../errors/errors.ts'
import { route } from '../../http/route.ts'
import { orNull, strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'
import { readPosition, sayLost } from './changes.ts'
import { DestinationShape, presentDestination } from './destination-shapes.ts'

const EVERYTHING = { companyId: null, entity: null }

export const replicateRoute = route(
  {
    method: 'POST',
    url: '/export-destinations/:destinationId/replicate',
    scope: 'data:read',
    roles: operators,
    audit: 'export.replication-requested',
    schema: {
      tags: ['Data'],
      summary: 'Bring a database up to date now, or begin again',
      description:
        'With `cursor: null` everything that is published is written once more, and rows that are not published any more are deleted at the end: meanwhile the tables are never empty. With a cursor of the change feed, given for all companies and both entities, it goes on from there. Without one it goes on where it stands.',
      operationId: 'replicateToDestination',
      params: strict({ destinationId: Uuid }),
      body: strict({ cursor: Type.Optional(orNull(Type.String({ minLength: 1, maxLength: 1000 }))) }),
      response: { 202: DestinationShape },
    },
  },
  async ({ database }: RouteDeps, request, reply) => {
    const { instanceId } = request.caller
    const key = { instanceId, id: request.params.destinationId }
    const { cursor } = request.body
    const destination = orNotFound(await findDestination(database, key), 'destination')
    if (destination.kind !== 'postgres') throw conflict('The destination is for files: deliver an export to it.')
    const position = typeof cursor === 'string' ? readPosition(cursor, EVERYTHING) : null
    if (position)
      await readChanges(database, instanceId, position, EVERYTHING, 1).catch((error: unknown) => {
        throw sayLost(error)
      })
    await inTransaction(database, async (db) => {
      if (cursor === undefined) await startReplicationNow(db, key)
      // A cursor within the initial list starts a new pass: rows before it would look deleted.
      else await rewindReplication(db, key, position?.isStarting === false ? position : null)
      const details = { from: cursor === undefined ? 'here' : position ? 'cursor' : 'start' }
      await recordChange(db, { instanceId, action: 'export.replication-requested', subject: `export-destination/${key.id}`, details })
    })
    reply.code(202)
    return presentDestination(destination, await findReplication(database, key))
  },
)
