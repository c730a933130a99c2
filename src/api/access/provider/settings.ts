import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { canBeAllowed, isPlainAllowed } from '../../../egress/allowed-hosts.ts'
import { EgressError } from '../../../egress/egress-error.ts'
import { hostOf, toTarget } from '../../../egress/target.ts'
import {
  deleteIdentityProvider,
  type IdentityProvider,
  lockIdentityProvider,
  type ProviderSettings,
  saveIdentityProvider,
} from '../../../store/access/identity-providers.ts'
import { endPasswordSessions } from '../../../store/access/provider-sessions.ts'
import { lockPasswordHashes, removePasswords } from '../../../store/access/users.ts'
import { type Db, inTransaction } from '../../../store/db/database.ts'
import { badField, conflict } from '../../errors/errors.ts'
import { type Access, audit } from '../access.ts'
import type { UserCaller } from '../caller.ts'
import { SignInFault, type SignInFaultCode } from './faults.ts'
import { openProvider, secretContext } from './provider-client.ts'
import { canEndSessions } from './session-tokens.ts'

/** Settings as an admin saves them; without `clientSecret` the saved one stays. */
export type ProviderChange = ProviderSettings & { clientSecret?: string | undefined }

/** Parameters of the authorization request that the sign-in itself sets. */
const OWN_PARAMETERS =
  /^(response_type|response_mode|client_id|redirect_uri|scope|state|nonce|code_challenge(_method)?|request(_uri)?|prompt|max_age|acr_values|id_token_hint|login_hint)$/
/** Settings on which it depends whether a sign-in works and whom it lets in: one that was tried with others proves nothing. */
const TRIED: readonly (keyof ProviderSettings)[] = [
  ...(['issuer', 'clientId', 'scopes', 'parameters', 'groupsClaim', 'emailDomains'] as const),
  ...(['trustsEmails', 'acceptedAcr', 'acceptedAmr', 'defaultRole'] as const),
]

/**
 * Saves the settings. Throws a 400 for an issuer that may not be called, and for one that is new without a new secret, so
 * that a secret is never sent to another provider; a 409 when the sign-in is to be required before an administrator has
 * signed in with these very settings. When it becomes required, sessions of passwords end, and the passwords of all members
 * are removed: lifting the requirement brings none back.
 */
export async function replaceProvider(access: Access, caller: UserCaller, change: ProviderChange): Promise<IdentityProvider> {
  const { clientSecret, ...settings } = change
  checkIssuer(access, settings.issuer)
  checkParameters(settings.parameters)
  if (!settings.scopes.includes('openid')) throw badField('scopes', 'must hold openid')
  const { instanceId } = caller
  const hashOfNobody = settings.isRequired ? await access.hashing.hashOfNobody() : null
  return await inTransaction(access.database, async (db) => {
    if (hashOfNobody !== null) await lockPasswordHashes(db, instanceId)
    const before = await lockIdentityProvider(db, instanceId)
    const key = { instanceId, id: before?.id ?? randomUUID() }
    const sealedSecret = sealSecret(access, key, change, before)
    const isTried = before !== null && clientSecret === undefined && TRIED.every((name) => isDeepStrictEqual(before[name], settings[name]))
    const triedAt = isTried ? before.triedAt : null
    if (settings.isRequired && triedAt === null)
      throw conflict('Sign in with these settings as an administrator first; then the sign-in can be required.')
    const after = { ...settings, ...key, sealedSecret, triedAt, version: randomUUID(), updatedAt: access.now() }
    await saveIdentityProvider(db, after)
    if (hashOfNobody !== null && !before?.isRequired) {
      await removePasswords(db, instanceId, hashOfNobody)
      await endPasswordSessions(db, instanceId, 'identity provider required', access.now())
    }
    await record(access, db, caller, before, { ...after, clientSecret })
    return after
  })
}

/**
 * Removes the settings: passwords may be set and work again, and sessions of the provider end within five minutes.
 * Throws a 409 where none is set.
 */
export async function removeProvider(access: Access, caller: UserCaller): Promise<void> {
  await inTransaction(access.database, async (db) => {
    const before = await lockIdentityProvider(db, caller.instanceId)
    if (!before || !(await deleteIdentityProvider(db, caller.instanceId))) throw noProvider()
    const entry = { instanceId: caller.instanceId, userId: caller.userId, subject: null }
    await audit(access, db, { ...entry, action: 'identity-provider.removed', before })
  })
}

/** What a provider says about itself. */
export interface ProviderReport {
  /** Null: it can be used. */
  fault: SignInFaultCode | null
  /** Whether it issues refresh tokens, supports back-channel logout, and has a logout page. */
  givesRefreshTokens: boolean
  announcesLogouts: boolean
  hasLogoutPage: boolean
}

const SILENT = { givesRefreshTokens: false, announcesLogouts: false, hasLogoutPage: false }

/** Reads the description of the provider, without signing in. */
export async function inspectProvider(access: Access, provider: IdentityProvider): Promise<ProviderReport> {
  try {
    const server = (await openProvider(access, provider)).config.serverMetadata()
    const { authorization_endpoint, token_endpoint, jwks_uri, grant_types_supported } = server
    const isComplete = authorization_endpoint !== undefined && token_endpoint !== undefined && jwks_uri !== undefined
    return {
      fault: isComplete ? null : 'invalidAnswer',
      givesRefreshTokens: grant_types_supported?.includes('refresh_token') ?? false,
      announcesLogouts: canEndSessions(server),
      hasLogoutPage: server.end_session_endpoint !== undefined,
    }
  } catch (error) {
    if (!(error instanceof SignInFault)) throw error
    return { fault: error.code, ...SILENT }
  }
}

export function noProvider() {
  return conflict('No identity provider is set.')
}

function sealSecret(
  { sealer }: Access,
  key: Pick<IdentityProvider, 'instanceId' | 'id'>,
  { clientSecret, issuer, clientId }: ProviderChange,
  before: IdentityProvider | null,
): Uint8Array {
  if (clientSecret !== undefined) return sealer.seal(secretContext(key), Buffer.from(clientSecret))
  if (before === null) throw badField('clientSecret', 'is required')
  if (before.issuer !== issuer || before.clientId !== clientId) throw badField('clientSecret', 'is needed for another issuer or client')
  return before.sealedSecret
}

/** Throws a 400 for an issuer that the sign-in may not call: https and public hosts only, except in the sandbox. */
function checkIssuer({ providers }: Access, issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : null
  if (!url) throw badField('issuer', 'is no absolute URL')
  if (url.search !== '' || url.hash !== '') throw badField('issuer', 'must not hold a query or a fragment')
  if (url.username !== '' || url.password !== '') throw badField('issuer', 'must not hold a user or a password')
  if (!(providers.allowPrivate && isPlainAllowed()) && url.protocol !== 'https:') throw badField('issuer', 'has to begin with https://')
  try {
    toTarget(issuer, { reach: providers.allowPrivate ? 'private' : 'public', ports: [443] })
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    throw badField('issuer', 'must name a host on the public internet')
  }
  if (!canBeAllowed(hostOf(url))) throw badField('issuer', 'must name a host that the operator allows')
}

function checkParameters(parameters: Record<string, string>): void {
  for (const name of Object.keys(parameters)) {
    if (!/^[\w.-]{1,60}$/.test(name)) throw badField('parameters', 'has a wrong form')
    if (OWN_PARAMETERS.test(name)) throw badField(`parameters.${name}`, 'is set by the sign-in itself')
  }
}

async function record(
  access: Access,
  db: Db,
  { instanceId, userId }: UserCaller,
  before: IdentityProvider | null,
  after: ProviderChange,
): Promise<void> {
  const clientSecret = after.clientSecret === undefined ? null : 'new'
  const entry = { instanceId, userId, subject: null } as const
  await audit(access, db, { ...entry, action: 'identity-provider.saved', before, after: { ...after, clientSecret } })
}
