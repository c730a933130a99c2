import { type Brake, giveBackAttempt, isKnownNetwork, rememberNetwork, takeAttempt } from '../../store/access/login-throttle.ts'
import { tooManyRequests } from '../errors/errors.ts'
import { type Access, hashSecret } from './access.ts'

/**
 * Counts an attempt on an account, whether there is one or not, from a network, and for everybody. Throws a 429 beyond a limit, before any
 * password is looked at. From a network that the account has logged in from, only that network's own counter holds, so that an attack
 * from elsewhere never locks the owner out.
 */
export async function countAttempt(access: Access, account: string, network: string): Promise<void> {
  const { own, shared } = await brakesOf(access, account, network)
  await take(access, [own, ...shared])
}

/** After a whole login: its failures are forgotten, its own attempt is given back, and the network is known. */
export async function forgetAttempts(access: Access, account: string, network: string): Promise<void> {
  const { own, shared } = await brakesOf(access, account, network)
  const shares = shared.map((brake) => brake.key)
  await giveBackAttempt(access.database, [own.key], shares)
  await rememberNetwork(access.database, pairOf(access, account, network), access.now())
}

/** Counts a guess at what a user confirms a step with (a password, a code); a 429 beyond the limit of an account. */
export async function countConfirmation(access: Access, userId: string): Promise<void> {
  await take(access, [confirmationBrake(access, userId)])
}

export async function forgetConfirmations(access: Access, userId: string): Promise<void> {
  await giveBackAttempt(access.database, [confirmationBrake(access, userId).key], [])
}

async function brakesOf(access: Access, account: string, network: string): Promise<{ own: Brake; shared: Brake[] }> {
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

function confirmationBrake(access: Access, userId: string): Brake {
  const { perAccount, windowSeconds } = access.settings.login
  return { key: hashSecret(access, 'confirmation', userId), limit: perAccount, windowSeconds }
}

async function take(access: Access, brakes: readonly Brake[]): Promise<void> {
  const at = access.now()
  const again = await takeAttempt(access.database, brakes, at)
  if (again) throw tooManyRequests((again.getTime() - at.getTime()) / 1000, 'Too many attempts. Try again later.')
}
