import { recordChange } from '../../../audit/record.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { beginDelivery } from '../../../store/exports/deliveries.ts'
import { findDestination } from '../../../store/exports/destinations.ts'
import { findExport } from '../../../store/exports/exports.ts'
import { objectKeyOf } from '../../../sync/exports/open-object.ts'
import { operators } from '../../access/caller.ts'
import { conflict, notFound, orNotFound } from '../../errors/errors.ts'
import { route } from '../../http/route.ts'
import { strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'
import { ExportShape, presentExport } from './export-shapes.ts'

export const deliverExportRoute = route(
  {
    method: 'POST',
    url: '/normalized-data/exports/:exportId/deliver',
    scope: 'data:read',
    roles: operators,
    audit: 'export.delivery-requested',
    schema: {
      tags: ['Data'],
      summary: 'Deliver the file to a destination, once it is written',
      description:
        'To a bucket or a folder of an SFTP server, where the file is seen once it is whole: on a server it is `….part` until then. A delivery that failed goes on after the last part that the destination has (`partsSent`); one that was made is made again. When data in the file is disconnected while the export is kept, it is deleted there too; `unreached` says that the destination did not allow it.',
      operationId: 'sendExport',
      params: strict({ exportId: Uuid }),
      body: strict({ destinationId: Uuid }, { examples: [{ destinationId: '5f0c2b1e-7a44-4d0e-9a53-1d2f6f3b8c07' }] }),
      response: { 202: ExportShape },
    },
  },
  async ({ database }: RouteDeps, request, reply) => {
    const { instanceId } = request.caller
    const key = { instanceId, id: request.params.exportId }
    const { destinationId } = request.body
    const made = await inTransaction(database, async (db) => {
      const found = orNotFound(await findExport(db, key), 'export')
      const destination = orNotFound(await findDestination(db, { instanceId, id: destinationId }), 'destination')
      if (found.state === 'failed' || found.state === 'erased')
        throw conflict('The export has no file: it failed, or its data was disconnected.')
      const objectKey = objectKeyOf(destination, `${found.id}.${found.format}`)
      if (objectKey === null) throw conflict('The destination is a database, which follows the change feed by itself and takes no files.')
      if (!(await beginDelivery(db, key, destinationId, objectKey)))
        throw conflict('The file is delivered to another destination. Request a new export for this one.')
      const details = { destinationId }
      await recordChange(db, { instanceId, action: 'export.delivery-requested', subject: `export/${key.id}`, details })
      return await findExport(db, key)
    })
    if (!made) throw notFound('export')
    reply.code(202)
    return presentExport(made)
  },
)
