import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Kit } from '../contract/contract.ts'
import type { Hint, WebhookRequest } from '../contract/hints.ts'
import { checkBase64Hmac, unreadableWebhook, webhookJson } from '../toolkit/webhook-checks.ts'

/** Entities that we read, as webhooks name them; a change of any other causes no metered call. */
const READ = ['account', 'journalentry']

/** One CloudEvent; `intuitaccountid` is the realm. */
const CloudEvent = Type.Object({ type: Type.String(), intuitaccountid: Type.String({ minLength: 1 }) })

/** Older format, which endpoints from before 2026 may still receive. */
const Notification = Type.Object({
  realmId: Type.String({ minLength: 1 }),
  dataChangeEvent: Type.Object({ entities: Type.Array(Type.Object({ name: Type.String() })) }),
})
const isBody = Compile(Type.Union([Type.Array(CloudEvent), Type.Object({ eventNotifications: Type.Array(Notification) })]))

/**
 * Signed with the verifier token of the operator's app. Both body formats are supported: CloudEvents and the older one.
 * Source: https://developer.intuit.com/app/developer/qbo/docs/develop/webhooks/managing-webhooks-notifications
 */
export async function readWebhook(kit: Kit, request: WebhookRequest): Promise<Hint[]> {
  checkBase64Hmac(request, 'intuit-signature', kit.app.webhookVerifierToken)
  const body = webhookJson(request)
  if (!isBody.Check(body)) throw unreadableWebhook()
  const changes = Array.isArray(body) ? body.map(fromCloudEvent) : body.eventNotifications.flatMap(fromNotification)
  const realms = changes.filter(({ entity }) => READ.includes(entity)).map(({ realmId }) => realmId)
  return [...new Set(realms)].map((reference) => ({ kind: 'changed', reference }))
}

interface Change {
  realmId: string
  entity: string
}

/** `qbo.journalentry.updated.v1` */
function fromCloudEvent({ type, intuitaccountid }: Static<typeof CloudEvent>): Change {
  return { realmId: intuitaccountid, entity: (type.split('.')[1] ?? '').toLowerCase() }
}

function fromNotification({ realmId, dataChangeEvent }: Static<typeof Notification>): Change[] {
  return dataChangeEvent.entities.map(({ name }) => ({ realmId, entity: name.toLowerCase() }))
}
