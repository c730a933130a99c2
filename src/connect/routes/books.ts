import type { FastifyInstance } from 'fastify'
import { listBooks, pickBooks } from '../../sync/authorize/books-choice.ts'
import { Problem } from '../http/problem.ts'
import { booksPage } from '../views/books-choice.ts'
import { donePath } from '../views/done.ts'
import { type Sender, sendPage } from '../views/page.ts'
import { requirePostedVisit, requireVisit } from '../visit/guards.ts'
import { readText } from '../visit/visitor.ts'
import type { ConnectDeps } from './connect-deps.ts'

/** Choice between several books opened by one login. */
export function addBooksRoutes(app: FastifyInstance, deps: ConnectDeps, sender: Sender): void {
  app.get('/books', async (request, reply) => {
    const visit = await requireVisit(deps, request)
    const state = readText(request.query, 'choice') ?? ''
    const books = await listBooks(deps.database, deps, { state, linkToken: visit.token })
    if (!books) throw new Problem('state')
    return sendPage(reply, sender, request.visitor, booksPage(request.visitor, visit, { state, books }, []))
  })

  app.post('/books', { config: { audit: 'connection.authorized' } }, async (request, reply) => {
    const visit = await requirePostedVisit(deps, request)
    const state = readText(request.query, 'choice') ?? ''
    const entityId = readText(request.body, 'entity') ?? ''
    const linked = await pickBooks(deps, { state, linkToken: visit.token, entityId })
    if (linked) {
      const ids = linked.map(({ connectionId }) => connectionId)
      return reply.redirect(donePath(visit, ids, false), 303)
    }
    const books = await listBooks(deps.database, deps, { state, linkToken: visit.token })
    if (!books) throw new Problem('state')
    const problems = [{ field: 'entity', text: request.visitor.texts.books.needed }]
    return sendPage(reply, sender, request.visitor, booksPage(request.visitor, visit, { state, books }, problems))
  })
}
