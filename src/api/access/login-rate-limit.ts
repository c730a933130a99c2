import { type AttemptLimit, consumeAttempt, isKnownNetwork, refundAttempts, rememberNetwork } from '../../store/access/login-rate-limits.ts'
import { tooManyRequests } from '../errors/errors.ts'
import { type Access, hashSecret } from './access.ts'

/**
 * Counts an attempt on an account, whether there is one or not, from a network, and for everybody. Throws a 429 beyond a limit, before any
 * password is looked at. From a network that the account has logged in from, only that network's own counter holds, so that an attack
 * from elsewhere never locks the owner out.
 */
export async function countAttempt(access: Access, account: string, network: string): Promise<void> {
  const { own, shared } = await attemptLimitsOf(access, account, network)
  await consume(access, [own, ...shared])
}

/** After a whole login: its failures are forgotten, its own attempt is given back, and the network is known. */
export async function forgetAttempts(access: Access, account: string, network: string): Promise<void> {
  const { own, shared } = await attemptLimitsOf(access, account, network)
  const shares = shared.map((attemptLimit) => attemptLimit.key)
  await refundAttempts(access.database, [own.key], shares)
  await rememberNetwork(access.database, pairOf(access, account, network), access.now())
}

/** Counts a guess at what a user confirms a step with (a password, a code); a 429 beyond the limit of an account. */
export async function countConfirmation(access: Access, userId: string): Promise<void> {
  await consume(access, [confirmationLimit(access, userId)])
}

export async function forgetConfirmations(access: Access, userId: string): Promise<void> {
  await refundAttempts(access.database, [confirmationLimit(access, userId).key], [])
}

async function attemptLimitsOf(access: Access, account: string, network: string): Promise<{ own: AttemptLimit; shared: AttemptLimit[] }> {
  const { perAccount, perNetwork, perMinute, windowSeconds } = access.settings.login
  const pair = pairOf(access, account, network)
  if (await isKnownNetwork(access.database, pair, access.now())) return { own: { key: pair, limit: perAccount, windowSeconds }, shared: [] }
  return {
    own: { key: hashSecret(access, 'login account', account), limit: perAccount, windowSeconds },
    shared: [
      { key: hashSecret(access, 'login network', network), limit: perNetwork, windowSeconds },
      { key: hashSecret(access, 'login', 'everybody'), limit: perMinute, windowSeconds: 60 },
    ],
  }
}

function pairOf(access: Access, account: string, network: string): Buffer {
  return hashSecret(access, 'login network of account', `${account}\0${network}`)
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
