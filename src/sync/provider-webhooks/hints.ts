import { type Connector, type ConnectorDescription, SourceError } from '../../connectors/contract/contract.ts'
import type { Hint, WebhookRequest } from '../../connectors/contract/hints.ts'
import type { Source } from '../../connectors/sources.ts'
import { isSameSecret } from '../../model/values/secret.ts'
import { prolongAuthorization } from '../../store/connections/authorizations.ts'
import { type Database, inTransaction } from '../../store/db/database.ts'
import { enqueueHintedSyncs } from '../../store/jobs/hinted-syncs.ts'
import { enqueueJob } from '../../store/jobs/jobs.ts'
import type { TokenHash } from '../../store/keys/token-hash.ts'
import type { Catalogue, Logging, Store, Tokens, Vault } from '../context/groups.ts'
import { SYSTEM_INSTANCE_ID } from '../context/system-instance.ts'
import { sourcesOfInstance } from '../sources/source-keys.ts'
import { hookSecretsOf } from './subscribe.ts'

/**
 * The owner's browser returns within seconds of the webhook. It has priority, since it alone can show the owner the
 * result.
 */
const BROWSER_FIRST_MS = 15_000

/** Debounce: hints that arrive within this time cause one run. */
const SETTLE_MS = 5_000

/** Minimum interval of reads caused by hints: limits the cost of replayed webhooks. */
const SPACING_MS = 120_000

/** How long a completion waits for a source that is down. */
const FINISHED_HOURS = 6

export interface IncomingWebhook extends WebhookRequest {
  query: Readonly<Record<string, string>>
  /** Instance of the app; absent for the deployment's. */
  instanceId?: string
  /** Last part of the URL path. */
  secret?: string
}

/**
 * Handles a provider's webhook: verified by the connector, then only a hint to read the source. Nothing is fetched here
 * except for the verification. Returns the text that the provider expects, empty for most. Throws
 * `SourceError('reconnect')` on a bad signature; null when the connector does not exist or takes no webhooks, or the
 * URL is not its own.
 */
export async function handleWebhook(
  deps: Store & Vault & Catalogue & Logging,
  connectorKey: string,
  webhook: IncomingWebhook,
): Promise<string | null> {
  const source = deps.sources.get(connectorKey)
  const { instanceId } = webhook
  if (!source || !isAddressOf(deps, source.description, webhook)) return null
  const asked =
    instanceId === undefined ? [source].filter(({ isEnabled }) => isEnabled) : await sourcesOfInstance(deps, connectorKey, instanceId)
  const connector = await source.load()
  if (asked.length === 0 || !connector.readWebhook) return null
  const handshake = connector.answerHandshake?.(webhook.query) ?? null
  if (handshake !== null) return handshake
  const hints = await readWith(asked, connector.readWebhook, webhook).catch((error: unknown) => {
    if (!(error instanceof SourceError) || error.kind !== 'badData') throw error
    // A retry would not make it readable, and providers disable an endpoint that keeps failing.
    deps.log.warn({ err: error, connector: connectorKey }, 'a webhook was not understood')
    return []
  })
  const references = hints.flatMap((hint) => (hint.kind === 'linked' ? [] : [hint.reference]))
  if (references.length > 0)
    await enqueueHintedSyncs(
      deps.database,
      { connectorKey, references, instanceId: instanceId ?? null },
      { settleMs: SETTLE_MS, spacingMs: SPACING_MS },
    )
  for (const hint of hints) if (hint.kind === 'linked') await enqueueCompletion(deps.database, deps.hashToken, hint.memoMatch)
  return ''
}

/** Verifies with the keys of each app that an instance has had. */
async function readWith(asked: readonly Source[], read: NonNullable<Connector['readWebhook']>, webhook: WebhookRequest): Promise<Hint[]> {
  const [first, ...others] = asked
  if (!first) return []
  try {
    return await read(first.kit, webhook)
  } catch (error) {
    const isUnproven = error instanceof SourceError && error.kind === 'reconnect'
    if (!isUnproven || others.length === 0) throw error
    return await readWith(others, read, webhook)
  }
}

/** Without signatures, the secret part of the URL is the only proof of the provider. */
function isAddressOf(tokens: Tokens, { key, unsignedWebhooks }: ConnectorDescription, { secret, instanceId }: IncomingWebhook): boolean {
  return unsignedWebhooks ? hookSecretsOf(tokens, key, instanceId).some((known) => isSameSecret(secret ?? '', known)) : secret === undefined
}

/** NOTE in one transaction: the authorization then exists for as long as the job retries. */
async function enqueueCompletion(database: Database, hashToken: TokenHash, match: string): Promise<void> {
  await inTransaction(database, async (db) => {
    const stored = await prolongAuthorization(db, hashToken.all(match), FINISHED_HOURS)
    const hash = Buffer.from(stored ?? hashToken(match)).toString('base64url')
    const payload = { match: hash }
    await enqueueJob(db, { instanceId: SYSTEM_INSTANCE_ID, kind: 'complete', key: `complete/${hash}`, payload, delayMs: BROWSER_FIRST_MS })
  })
}
