import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { recordChange } from '../audit/record.ts'
import { type Db, databaseTime, inTransaction } from '../store/db/database.ts'
import type { Sealer } from '../store/keys/sealing.ts'
import { hasOlderClaims } from '../store/webhooks/older-claims.ts'
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
import { LEASE_MS, type SigningSecrets } from './attempt.ts'
import type { WebhookDeps } from './deps.ts'
import { Conflict } from './errors.ts'
import { printSecret, SECRET_BYTES } from './signing.ts'

const HOUR_MS = 3_600_000
const MAX_SECRETS = 5
/**
 * Attempts claimed before a change have sent their request within this time; the duration of the response does not
 * matter.
 */
const IN_FLIGHT_MS = 5_000
const LOOK_MS = 25
const DEFAULT_GRACE_HOURS = 24
export const MAX_GRACE_HOURS = 168

export interface NewSecret {
  /** `whsec_…`; shown only this once. */
  secret: string
  /** From then on it signs bodies as well as headers. */
  activeFrom: Date
}

/**
 * Secret rotation: the new secret signs headers at once beside the old one; in 24 h, or when promoted, it also signs
 * bodies, and `graceHours` after that the old one ends. Null when the subscription does not exist. Throws `Conflict`.
 */
export async function rotateSecret(
  deps: WebhookDeps,
  instanceId: string,
  subscriptionId: string,
  graceHours = DEFAULT_GRACE_HOURS,
): Promise<NewSecret | null> {
  return await changeSecrets(deps, instanceId, subscriptionId, 'webhook-secret.rotated', async (db, unexpired) => {
    if (waitingOf(unexpired)) throw new Conflict('rotationUnderWay')
    if (unexpired.length >= MAX_SECRETS) throw new Conflict('tooManySecrets')
    const waitMs = DEFAULT_GRACE_HOURS * HOUR_MS
    const { id, ...added } = await addSecret(deps.sealer, db, instanceId, subscriptionId, waitMs)
    await expireOtherSecrets(db, instanceId, subscriptionId, id, waitMs + toMs(graceHours))
    return added
  })
}

/**
 * Promotes the waiting secret: it signs bodies from now on; the old one ends in `graceHours`. Null when the
 * subscription does not exist. Throws `Conflict`.
 */
export async function promoteSecret(
  deps: WebhookDeps,
  instanceId: string,
  subscriptionId: string,
  graceHours = DEFAULT_GRACE_HOURS,
): Promise<{ activeFrom: Date } | null> {
  return await changeSecrets(deps, instanceId, subscriptionId, 'webhook-secret.promoted', async (db, unexpired) => {
    const waiting = waitingOf(unexpired)
    if (!waiting) throw new Conflict('noWaitingSecret')
    const activeFrom = await activateSecret(db, instanceId, waiting.id)
    await expireOtherSecrets(db, instanceId, subscriptionId, waiting.id, toMs(graceHours))
    return { activeFrom }
  })
}

/**
 * Retires the secrets before the current one, once the receiver knows it; returns their number. Null when the
 * subscription does not exist.
 */
export async function retireSecrets(deps: WebhookDeps, instanceId: string, subscriptionId: string): Promise<number | null> {
  return await changeSecrets(deps, instanceId, subscriptionId, 'webhook-secret.retired', async (db, [current]) =>
    current ? await deleteOlderSecrets(db, instanceId, subscriptionId, current.id) : 0,
  )
}

/**
 * Revokes all secrets at once, after a leak, and creates one that signs immediately. Null when the subscription does
 * not exist.
 */
export async function revokeSecrets(deps: WebhookDeps, instanceId: string, subscriptionId: string): Promise<NewSecret | null> {
  const replace = (db: Db) => replaceSecrets(deps.sealer, db, instanceId, subscriptionId)
  return await changeSecrets(deps, instanceId, subscriptionId, 'webhook-secret.revoked', replace)
}

/** Creates a secret that signs immediately, and deletes all others of the subscription. */
export async function replaceSecrets(sealer: Sealer, db: Db, instanceId: string, subscriptionId: string): Promise<NewSecret> {
  const { id, ...added } = await addSecret(sealer, db, instanceId, subscriptionId, 0)
  await deleteSecrets(db, instanceId, subscriptionId, id)
  return added
}

export interface SecretState {
  id: string
  signs: 'bodyAndHeaders' | 'headers'
  activeFrom: Date
  expiresAt: Date | null
}

/** Active secrets without their values, the one that signs bodies first. */
export async function listSecrets(deps: WebhookDeps, instanceId: string, subscriptionId: string): Promise<SecretState[]> {
  const unexpired = await listUnexpiredSecrets(deps.database, instanceId, [subscriptionId])
  return unexpired.map(({ id, isCurrent, activeFrom, expiresAt }) => ({
    id,
    signs: isCurrent ? 'bodyAndHeaders' : 'headers',
    activeFrom,
    expiresAt,
  }))
}

/** Creates a secret and stores it sealed. */
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
 * Changes the secrets and waits for attempts that had read them before: everything that arrives after the response is
 * signed with the new ones. So a receiver may switch at that moment without rejecting anything.
 */
async function changeSecrets<T>(
  deps: WebhookDeps,
  instanceId: string,
  subscriptionId: string,
  action: 'webhook-secret.rotated' | 'webhook-secret.promoted' | 'webhook-secret.retired' | 'webhook-secret.revoked',
  change: (db: Db, unexpired: SealedSecret[]) => Promise<T>,
): Promise<T | null> {
  const changed = await inTransaction(deps.database, async (db) => {
    if (!(await lockSubscription(db, instanceId, subscriptionId))) return null
    await deleteSecrets(db, instanceId, subscriptionId, null)
    const result = await change(db, await listUnexpiredSecrets(db, instanceId, [subscriptionId]))
    await recordChange(db, { instanceId, action, subject: `subscription/${subscriptionId}` })
    return result
  })
  const at = await databaseTime(deps.database)
  const limits = { leaseMs: LEASE_MS, forMs: IN_FLIGHT_MS }
  while (await hasOlderClaims(deps.database, instanceId, subscriptionId, at, limits)) await delay(LOOK_MS)
  return changed
}

/**
 * The secret that waits for promotion: `unexpired` begins with the one that signs bodies, and a newer one still waits.
 */
function waitingOf(unexpired: SealedSecret[]): SealedSecret | undefined {
  const [current] = unexpired
  return unexpired.find((secret) => current && secret.activeFrom > current.activeFrom)
}

function toMs(graceHours: number): number {
  if (!(graceHours >= 0 && graceHours <= MAX_GRACE_HOURS)) throw new RangeError(`a grace period is 0 to ${MAX_GRACE_HOURS} hours`)
  return graceHours * HOUR_MS
}

/** Throws where no secret signs bodies. */
export function toSigningSecrets(sealer: Sealer, instanceId: string, sealed: readonly SealedSecret[]): SigningSecrets {
  const all = sealed.map((secret) => openSecret(sealer, instanceId, secret))
  const [current] = all
  if (!current || !sealed[0]?.isCurrent) throw new Error('the subscription has no secret to sign with')
  return { current, all }
}
