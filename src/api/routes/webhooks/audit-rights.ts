import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AUDIT_EVENT, type EventKind } from '../../../model/events.ts'
import type { EventVisibility } from '../../../store/webhooks/events.ts'
import { findSubscription } from '../../../store/webhooks/subscriptions.ts'
import { admins, type Caller, type RouteAccess } from '../../access/caller.ts'
import { checkAccess, mayCall } from '../../access/guard.ts'
import type { RouteDeps } from '../route-deps.ts'

/** Who may read the audit: as on its own routes. */
const AUDIT_READ = { roles: admins, scope: 'audit:read' } as const satisfies RouteAccess

/** For others, events of audit entries do not exist. */
export function eventVisibilityOf(caller: Caller): EventVisibility {
  return { mayReadAudit: mayCall(caller, AUDIT_READ) }
}

/** Throws a 403 unless the caller may subscribe to audit entries. */
export function checkAuditEvent(caller: Caller, event: EventKind | undefined): void {
  if (event === AUDIT_EVENT) checkAccess(caller, AUDIT_READ)
}

/** Routes of which those that change a subscription to audit entries are for administrators only. */
export function withAuditRights({ database }: RouteDeps, table: FastifyPluginAsyncTypebox): FastifyPluginAsyncTypebox {
  return async (app, options) => {
    app.addHook('preHandler', async ({ method, params, verifiedCaller }) => {
      const { subscriptionId } = params as { subscriptionId?: string }
      if (method === 'GET' || method === 'HEAD' || subscriptionId === undefined || verifiedCaller === null) return
      checkAuditEvent(verifiedCaller, (await findSubscription(database, verifiedCaller.instanceId, subscriptionId))?.event)
    })
    await table(app, options)
  }
}
