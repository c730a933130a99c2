import type { FastifyInstance } from 'fastify'
import type { ReferenceDocument } from './reference-schema.ts'

/** Content of the reference pages, from the routes of a server. Loads its dependencies on first use. */
export async function referenceOf(app: Pick<FastifyInstance, 'routeDocument'>): Promise<ReferenceDocument> {
  const [{ splitDocument }, { readReference }] = await Promise.all([import('./operator-document.ts'), import('./reference-document.ts')])
  return readReference(splitDocument(await app.routeDocument()).api)
}
