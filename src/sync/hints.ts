import { type ConnectorDescription, SourceError, type WebhookRequest } from '../connectors/contract.ts'
import { isSameText } from '../connectors/webhook-checks.ts'
import { inTransaction } from '../store/database.ts'
import { enqueueHintedSyncs } from '../store/hinted-syncs.ts'
import { enqueueJob } from '../store/jobs.ts'
import type { SyncDeps } from './deps.ts'
import { HOUSE } from './house.ts'
import { hookSecretOf } from './subscribe.ts'

/** The owner's browser comes back within seconds of the webhook. It goes first, since it alone can show the owner what came of it. */
const BROWSER_FIRST_MS = 15_000

/** Hints come in bursts: what comes within this time makes one run. */
const SETTLE_MS = 5_000

/** Hints read a connection at most this often. A webhook that somebody kept and sends again and again costs little. */
const SPACING_MS = 120_000

export interface IncomingWebhook extends WebhookRequest {
  query: Readonly<Record<string, string>>
  /** What stood behind the connector's key in the address. */
  secret?: string
}

/**
 * Takes a provider's webhook: verified by the connector, then only a hint to look for ourselves. Nothing is fetched here but what
 * verifying takes. Answers the text that the provider waits for, empty for most. Throws `SourceError('reconnect')` on a bad signature; null
 * when there is no such connector, it takes no webhooks, or this is not its address.
 */
export async function takeWebhook(deps: SyncDeps, connectorKey: string, webhook: IncomingWebhook): Promise<string | null> {
  const source = deps.sources.get(connectorKey)
  if (!source?.isEnabled || !isAddressOf(deps, source.description, webhook.secret)) return null
  const connector = await source.load()
  if (!connector.readWebhook) return null
  const handshake = connector.answerHandshake?.(webhook.query) ?? null
  if (handshake !== null) return handshake
  const hints = await connector.readWebhook(source.kit, webhook).catch((error: unknown) => {
    if (!(error instanceof SourceError) || error.kind !== 'badData') throw error
    // Sending it again would not make it readable, and providers switch off an address that refuses for long.
    deps.log.warn({ err: error, connector: connectorKey }, 'a webhook was not understood')
    return []
  })
  const references = hints.flatMap((hint) => (hint.kind === 'linked' ? [] : [hint.reference]))
  if (references.length > 0)
    await enqueueHintedSyncs(deps.database, { connectorKey, references }, { settleMs: SETTLE_MS, spacingMs: SPACING_MS })
  for (const hint of hints) if (hint.kind === 'linked') await enqueueCompletion(deps, hint.memoMatch)
  return ''
}

/** Where nothing is signed, the secret part of the address is all that tells the provider from anybody else. */
function isAddressOf(deps: SyncDeps, { key, unsignedWebhooks }: ConnectorDescription, secret: string | undefined): boolean {
  return unsignedWebhooks ? isSameText(secret ?? '', hookSecretOf(deps, key)) : secret === undefined
}

async function enqueueCompletion(deps: SyncDeps, match: string): Promise<void> {
  const hash = Buffer.from(deps.hashToken(match)).toString('base64url')
  const job = { instanceId: HOUSE, kind: 'complete', key: `complete/${hash}`, payload: { match: hash }, delayMs: BROWSER_FIRST_MS }
  await inTransaction(deps.database, async (db) => await enqueueJob(db, job))
}
