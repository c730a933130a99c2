import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Db, databaseTime, inTransaction } from '../store/db/database.ts'
import type { Sealer } from '../store/keys/sealing.ts'
import { hasOlderClaims } from '../store/webhooks/deliveries.ts'
import {
  activateSecret,
  deleteOlderSecrets,
  deleteSecrets,
  expireOtherSecrets,
  insertSecret,
  listUnexpiredSecrets,
  type SealedSecret,
} from '../store/webhooks/subscription-secrets.ts'
import { lockSubscription } from '../store/webhooks/subscriptions.ts'
import { LEASE_MS } from './attempt.ts'
import type { WebhookDeps } from './deps.ts'
import { Conflict } from './errors.ts'
import { printSecret, SECRET_BYTES } from './signing.ts'

const HOUR_MS = 3_600_000
const MAX_SECRETS = 5
/** What was claimed before a change is on its way within this time; how long its answer takes does not matter. */
const IN_FLIGHT_MS = 5_000
const LOOK_MS = 25
const DEFAULT_GRACE_HOURS = 24
export const MAX_GRACE_HOURS = 168

export interface NewSecret {
  /** `whsec_…`; shown this once. */
  secret: string
  /** From here on it signs bodies as well as headers. */
  activeFrom: Date
}

/**
 * Announces a new secret: at once it signs headers beside the old one, in 24 h or when promoted it also signs bodies, and `graceHours`
 * after that the old one ends. Null when there is no such subscription. Throws `Conflict`.
 */
export async function rotateSecret(
  deps: WebhookDeps,
  instanceId: string,
  subscriptionId: string,
  graceHours = DEFAULT_GRACE_HOURS,
): Promise<NewSecret | null> {
  return await changeSecrets(deps, instanceId, subscriptionId, async (db, unexpired) => {
    if (waitingOf(unexpired)) throw new Conflict('rotationUnderWay')
    if (unexpired.length >= MAX_SECRETS) throw new Conflict('tooManySecrets')
    const waitMs = DEFAULT_GRACE_HOURS * HOUR_MS
    const { id, ...added } = await addSecret(deps.sealer, db, instanceId, subscriptionId, waitMs)
    await expireOtherSecrets(db, instanceId, subscriptionId, id, waitMs + toMs(graceHours))
    return added
  })
}

/** Lets the waiting secret sign bodies now; the old one ends in `graceHours`. Null when there is no such subscription. Throws `Conflict`. */
export async function promoteSecret(
  deps: WebhookDeps,
  instanceId: string,
  subscriptionId: string,
  graceHours = DEFAULT_GRACE_HOURS,
): Promise<{ activeFrom: Date } | null> {
  return await changeSecrets(deps, instanceId, subscriptionId, async (db, unexpired) => {
    const waiting = waitingOf(unexpired)
    if (!waiting) throw new Conflict('noWaitingSecret')
    const activeFrom = await activateSecret(db, instanceId, waiting.id)
    await expireOtherSecrets(db, instanceId, subscriptionId, waiting.id, toMs(graceHours))
    return { activeFrom }
  })
}

/**
 * Ends the secrets that signed bodies before the present one, once the receiver knows that; returns how many. Null when there is no such
 * subscription.
 */
export async function retireSecrets(deps: WebhookDeps, instanceId: string, subscriptionId: string): Promise<number | null> {
  return await changeSecrets(deps, instanceId, subscriptionId, async (db, [current]) =>
    current ? await deleteOlderSecrets(db, instanceId, subscriptionId, current.id) : 0,
  )
}

/** Ends every secret now, for one that leaked, and makes a new one that signs at once. Null when there is no such subscription. */
export async function revokeSecrets(deps: WebhookDeps, instanceId: string, subscriptionId: string): Promise<NewSecret | null> {
  return await changeSecrets(deps, instanceId, subscriptionId, async (db) => {
    const { id, ...added } = await addSecret(deps.sealer, db, instanceId, subscriptionId, 0)
    await deleteSecrets(db, instanceId, subscriptionId, id)
    return added
  })
}

export interface SecretState {
  id: string
  signs: 'bodyAndHeaders' | 'headers'
  activeFrom: Date
  expiresAt: Date | null
}

/** The active secrets without the secrets themselves, the one that signs bodies first. */
export async function listSecrets(deps: WebhookDeps, instanceId: string, subscriptionId: string): Promise<SecretState[]> {
  const unexpired = await listUnexpiredSecrets(deps.database, instanceId, [subscriptionId])
  return unexpired.map(({ id, isCurrent, activeFrom, expiresAt }) => ({
    id,
    signs: isCurrent ? 'bodyAndHeaders' : 'headers',
    activeFrom,
    expiresAt,
  }))
}

/** Makes a secret and stores it sealed. */
export async function addSecret(
  sealer: Sealer,
  db: Db,
  instanceId: string,
  subscriptionId: string,
  activeAfterMs: number,
): Promise<NewSecret & { id: string }> {
  const id = randomUUID()
  const secret = randomBytes(SECRET_BYTES)
  const sealed = sealer.seal(secretContext(instanceId, id), secret)
  const activeFrom = await insertSecret(db, instanceId, { id, subscriptionId, sealed, activeAfterMs })
  return { id, secret: printSecret(secret), activeFrom }
}

export function openSecret(sealer: Sealer, instanceId: string, secret: SealedSecret): Uint8Array {
  return sealer.open(secretContext(instanceId, secret.id), secret.sealed)
}

function secretContext(instanceId: string, id: string) {
  return { instanceId, table: 'subscription_secrets', rowId: id, column: 'sealed' }
}

/**
 * Changes the secrets and waits for attempts that had read them before: from the answer on, all that arrives is signed as it says. So a
 * receiver may change over at that moment and refuses nothing.
 */
async function changeSecrets<T>(
  deps: WebhookDeps,
  instanceId: string,
  subscriptionId: string,
  change: (db: Db, unexpired: SealedSecret[]) => Promise<T>,
): Promise<T | null> {
  const changed = await inTransaction(deps.database, async (db) => {
    if (!(await lockSubscription(db, instanceId, subscriptionId))) return null
    await deleteSecrets(db, instanceId, subscriptionId, null)
    return await change(db, await listUnexpiredSecrets(db, instanceId, [subscriptionId]))
  })
  const at = await databaseTime(deps.database)
  for (let waitedMs = 0; waitedMs < IN_FLIGHT_MS; waitedMs += LOOK_MS) {
    if (!(await hasOlderClaims(deps.database, instanceId, subscriptionId, at, LEASE_MS))) break
    await delay(LOOK_MS)
  }
  return changed
}

/** Living secrets come with the one that signs bodies first; one that is newer still waits. */
function waitingOf(unexpired: SealedSecret[]): SealedSecret | undefined {
  const [current] = unexpired
  return unexpired.find((secret) => current && secret.activeFrom > current.activeFrom)
}

function toMs(graceHours: number): number {
  if (!(graceHours >= 0 && graceHours <= MAX_GRACE_HOURS)) throw new RangeError(`a grace period is 0 to ${MAX_GRACE_HOURS} hours`)
  return graceHours * HOUR_MS
}
