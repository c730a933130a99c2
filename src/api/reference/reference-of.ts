import type { FastifyInstance } from 'fastify'
import type { ReferenceDocument } from './reference-schema.ts'

/** What the pages of the reference show, from the routes of a server. Loads what makes it when it is first asked for. */
export async function referenceOf(app: Pick<FastifyInstance, 'swagger'>): Promise<ReferenceDocument> {
  const [{ splitDocument }, { readReference }] = await Promise.all([import('./operator-document.ts'), import('./reference-document.ts')])
  return readReference(splitDocument(app.swagger()).api)
}
