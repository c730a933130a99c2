import type { FastifyInstance } from 'fastify'
import { accessibilityPage } from '../views/accessibility.ts'
import { type Sender, sendPage } from '../views/page.ts'
import { enterVisit } from '../visit/visitor.ts'
import type { ConnectDeps } from './connect-deps.ts'

/** Accessibility statement, for people who do not use a mouse or cannot see the pages. */
export function addAccessibilityRoutes(app: FastifyInstance, deps: ConnectDeps, sender: Sender): void {
  app.get('/accessibility', async (request, reply) => {
    await enterVisit(deps, request)
    return sendPage(reply, sender, request.visitor, accessibilityPage(request.visitor))
  })
}
