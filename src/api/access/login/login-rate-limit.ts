import {
  type AttemptLimit,
  consumeAttempt,
  isKnownNetwork,
  refundAttempts,
  rememberNetwork,
} from '../../../store/access/login-rate-limits.ts'
import { tooManyRequests } from '../../errors/errors.ts'
import { type Access, hashesOfSecret, hashSecret } from '../access.ts'

/**
 * Login rate limit: counts an attempt per account (existing or not), per network, and for all clients. Throws a 429
 * above a limit, before any password is checked. From a network that the account has logged in from, only that
 * network's own limit applies, so that an attack from elsewhere never locks the owner out.
 */
export async function countAttempt(access: Access, account: string, network: string): Promise<void> {
  const { own, shared } = await attemptLimitsOf(access, account, network)
  await consume(access, [own, ...shared])
}

/** After a complete login: resets its failures, refunds its own attempt, and remembers the network. */
export async function forgetAttempts(access: Access, account: string, network: string): Promise<void> {
  const { own, shared } = await attemptLimitsOf(access, account, network)
  const shares = shared.map((attemptLimit) => attemptLimit.key)
  await refundAttempts(access.database, [own.key], shares)
  const [pair] = pairsOf(access, account, network)
  if (pair) await rememberNetwork(access.database, pair, access.now())
}

/** Whether the account has logged in from the network before. */
export async function isKnownLoginNetwork(access: Access, account: string, network: string): Promise<boolean> {
  for (const pair of pairsOf(access, account, network)) if (await isKnownNetwork(access.database, pair, access.now())) return true
  return false
}

/** Counts an attempt at confirming an action (by password or code); throws a 429 above the account's limit. */
export async function countConfirmation(access: Access, userId: string): Promise<void> {
  await consume(access, [confirmationLimit(access, userId)])
}

/** Takes one attempt back: it was right, and those that failed stay counted. */
export async function refundConfirmation(access: Access, userId: string): Promise<void> {
  await refundAttempts(access.database, [], [confirmationLimit(access, userId).key])
}

export async function forgetConfirmations(access: Access, userId: string): Promise<void> {
  await refundAttempts(access.database, [confirmationLimit(access, userId).key], [])
}

async function attemptLimitsOf(access: Access, account: string, network: string): Promise<{ own: AttemptLimit; shared: AttemptLimit[] }> {
  const { perAccount, perNetwork, perMinute, windowSeconds } = access.settings.login
  for (const pair of pairsOf(access, account, network)) {
    if (await isKnownNetwork(access.database, pair, access.now()))
      return { own: { key: pair, limit: perAccount, windowSeconds }, shared: [] }
  }
  return {
    own: { key: hashSecret(access, 'login account', account), limit: perAccount, windowSeconds },
    shared: [
      { key: hashSecret(access, 'login network', network), limit: perNetwork, windowSeconds },
      { key: hashSecret(access, 'login', 'everybody'), limit: perMinute, windowSeconds: 60 },
    ],
  }
}

/** The pair's hash under each key, newest first. */
function pairsOf(access: Access, account: string, network: string): Uint8Array[] {
  return hashesOfSecret(access, 'login network of account', `${account}\0${network}`)
}

function confirmationLimit(access: Access, userId: string): AttemptLimit {
  const { perAccount, windowSeconds } = access.settings.login
  return { key: hashSecret(access, 'confirmation', userId), limit: perAccount, windowSeconds }
}

async function consume(access: Access, attemptLimits: readonly AttemptLimit[]): Promise<void> {
  const at = access.now()
  const again = await consumeAttempt(access.database, attemptLimits, at)
  if (again) throw tooManyRequests((again.getTime() - at.getTime()) / 1000, 'Too many attempts. Try again later.')
}
