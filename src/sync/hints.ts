import type { WebhookRequest } from '../connectors/contract.ts'
import { listConnectionsByReference } from '../store/connections.ts'
import { inTransaction } from '../store/database.ts'
import { enqueueJob } from '../store/jobs.ts'
import { enqueueSync } from './actions.ts'
import type { SyncDeps } from './deps.ts'
import { HOUSE } from './house.ts'

/** The owner's browser comes back within seconds of the webhook. It goes first, since it alone can show the owner what came of it. */
const BROWSER_FIRST_MS = 15_000

/**
 * Takes a provider's webhook: verified by the connector, then only a hint to look for ourselves. Throws `SourceError('reconnect')` on a bad
 * signature; null when there is no such connector or it takes no webhooks.
 */
export async function takeHint(deps: SyncDeps, connectorKey: string, request: WebhookRequest): Promise<number | null> {
  const source = deps.sources.get(connectorKey)
  if (!source?.isEnabled) return null
  const connector = await source.load()
  if (!connector.readWebhook) return null
  const hints = await connector.readWebhook(source.kit, request)
  for (const hint of hints) {
    if (hint.kind === 'linked') {
      await enqueueCompletion(deps, hint.memoMatch)
      continue
    }
    const connections = await listConnectionsByReference(deps.database, connectorKey, hint.reference)
    await inTransaction(deps.database, async (db) => {
      for (const connection of connections) await enqueueSync(db, connection, 'hint')
    })
  }
  return hints.length
}

async function enqueueCompletion(deps: SyncDeps, match: string): Promise<void> {
  const hash = Buffer.from(deps.hashToken(match)).toString('base64url')
  const job = { instanceId: HOUSE, kind: 'complete', key: `complete/${hash}`, payload: { match: hash }, delayMs: BROWSER_FIRST_MS }
  await inTransaction(deps.database, async (db) => await enqueueJob(db, job))
}
