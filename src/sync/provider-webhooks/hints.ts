import { type Connector, type ConnectorDescription, SourceError } from '../../connectors/contract/contract.ts'
import type { Hint, WebhookRequest } from '../../connectors/contract/hints.ts'
import type { Source } from '../../connectors/sources.ts'
import { isSameText } from '../../connectors/toolkit/webhook-checks.ts'
import { prolongAuthorization } from '../../store/connections/authorizations.ts'
import type { Database } from '../../store/db/database.ts'
import { inTransaction } from '../../store/db/database.ts'
import { enqueueHintedSyncs } from '../../store/jobs/hinted-syncs.ts'
import { enqueueJob } from '../../store/jobs/jobs.ts'
import type { Catalogue, Logging, Store, TokenHash, Tokens, Vault } from '../context/groups.ts'
import { SYSTEM_INSTANCE_ID } from '../context/system-instance.ts'
import { sourcesOfInstance } from '../sources/source-keys.ts'
import { hookSecretOf } from './subscribe.ts'

/** The owner's browser comes back within seconds of the webhook. It goes first, since it alone can show the owner what came of it. */
const BROWSER_FIRST_MS = 15_000

/** Hints come in bursts: what comes within this time makes one run. */
const SETTLE_MS = 5_000

/** Hints read a connection at most this often. A webhook that somebody kept and sends again and again costs little. */
const SPACING_MS = 120_000

/** So long what the owner has finished waits for a source that is away. */
const FINISHED_HOURS = 6

export interface IncomingWebhook extends WebhookRequest {
  query: Readonly<Record<string, string>>
  /** Whose app it is about; left out for the deployment's. */
  instanceId?: string
  /** What stood last in the address. */
  secret?: string
}

/**
 * Takes a provider's webhook: verified by the connector, then only a hint to look for ourselves. Nothing is fetched here but what
 * verifying takes. Answers the text that the provider waits for, empty for most. Throws `SourceError('reconnect')` on a bad signature; null
 * when there is no such connector, it takes no webhooks, or this is not its address.
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
    instanceId === undefined
      ? [source].filter(({ isEnabled }) => isEnabled)
      : await sourcesOfInstance(deps.database, deps, source, instanceId)
  const connector = await source.load()
  if (asked.length === 0 || !connector.readWebhook) return null
  const handshake = connector.answerHandshake?.(webhook.query) ?? null
  if (handshake !== null) return handshake
  const hints = await readWith(asked, connector.readWebhook, webhook).catch((error: unknown) => {
    if (!(error instanceof SourceError) || error.kind !== 'badData') throw error
    // Sending it again would not make it readable, and providers switch off an address that refuses for long.
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

/** With the keys that prove it: of several apps that an instance has had, those that do. */
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

/** Where nothing is signed, the secret part of the address is all that tells the provider from anybody else. */
function isAddressOf(tokens: Tokens, { key, unsignedWebhooks }: ConnectorDescription, { secret, instanceId }: IncomingWebhook): boolean {
  return unsignedWebhooks ? isSameText(secret ?? '', hookSecretOf(tokens, key, instanceId)) : secret === undefined
}

/** NOTE in one transaction: the job finds the authorization as long as it tries. */
async function enqueueCompletion(database: Database, hashToken: TokenHash, match: string): Promise<void> {
  const hashed = hashToken(match)
  const hash = Buffer.from(hashed).toString('base64url')
  const job = {
    instanceId: SYSTEM_INSTANCE_ID,
    kind: 'complete',
    key: `complete/${hash}`,
    payload: { match: hash },
    delayMs: BROWSER_FIRST_MS,
  }
  await inTransaction(database, async (db) => {
    await prolongAuthorization(db, hashed, FINISHED_HOURS)
    await enqueueJob(db, job)
  })
}
