import { createPublicKey, type KeyObject, randomBytes, verify } from 'node:crypto'
import { Check } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import type { LocalizedText } from '../../model/values/text.ts'
import { InputRefused, type RedirectCompletion, type Widget, type WidgetAuthorization } from '../contract/authorization.ts'
import { type Credentials, type Grant, type Kit, SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import { askTeller, TellerError } from './request.ts'
import { readSecret, type TellerSecret } from './secret.ts'
import { glue } from './widget.ts'
import { LinkedAccount, ListAnswer } from './wire.ts'

const NOTHING_SHARED: LocalizedText = {
  en: 'No bank was connected, because no account was shared at Teller. You can try again.',
  'fr-CA': 'Aucune institution n’a été connectée, car aucun compte n’a été communiqué chez Teller. Vous pouvez réessayer.',
}
const NOT_COMPLETED: LocalizedText = {
  en: 'No bank was connected, because the sign-in at Teller was not completed. You can try again.',
  'fr-CA': 'Aucune institution n’a été connectée, car l’ouverture de session chez Teller n’a pas été terminée. Vous pouvez réessayer.',
}

/**
 * Teller Connect on our page. With an enrollment's id it repairs that same enrollment, which keeps its token and its
 * account ids.
 */
export const tellerConnect: WidgetAuthorization = {
  step: 'widget',

  async start(kit, request) {
    const former = request.reconnect ? readSecret(request.reconnect) : null
    const repaired = former !== null && (await isRepairable(kit, former)) ? former.enrollmentId : null
    const nonce = randomBytes(24).toString('base64url')
    const institution = request.institutionId ?? former?.institutionId ?? null
    return { widget: toWidget(kit, { nonce, institution, enrollmentId: repaired }), memo: { nonce, enrollmentId: repaired } }
  },

  async complete(kit, { query, memo, reconnect }) {
    const { nonce, enrollmentId } = readMemo(memo)
    const handed = readHanded(query, enrollmentId === null ? undefined : reconnect)
    checkSignature(kit, nonce, handed)
    const grant = await readGrant(kit, handed.accessToken)
    // The owner was asked to repair one enrollment; a different one is refused.
    if (enrollmentId !== null && grant.reference !== enrollmentId) throw new InputRefused(NOT_COMPLETED)
    return [grant]
  },
}

function toWidget(kit: Kit, chosen: { nonce: string; institution: string | null; enrollmentId: string | null }): Widget {
  const { nonce, institution, enrollmentId } = chosen
  const origins = [kit.hosts.site ?? '', kit.hosts.api ?? ''].map((host) => new URL(host).origin)
  return {
    script: `${kit.hosts.connect ?? ''}/connect/connect.js`,
    origins: [...new Set(origins)],
    glue,
    params: {
      applicationId: kit.app.applicationId ?? '',
      environment: environmentOf(kit),
      nonce,
      ...(institution === null ? {} : { institution }),
      ...(enrollmentId === null ? {} : { enrollmentId }),
    },
  }
}

function environmentOf(kit: Kit): string {
  return kit.app.environment || 'production'
}

/**
 * Whether the enrollment can be repaired. A rejected token belongs to a deleted enrollment: the bank is linked again.
 */
async function isRepairable(kit: Kit, secret: TellerSecret): Promise<boolean> {
  try {
    await askTeller(kit, secret.accessToken, '/accounts', ListAnswer)
    return true
  } catch (error) {
    if (error instanceof TellerError && (error.status === 401 || error.status === 403)) return false
    // A broken enrollment still exists; other errors surface when the owner returns.
    if (error instanceof SourceError && !(error instanceof TellerError && error.isClientRefused)) return true
    throw error
  }
}

interface Handed {
  accessToken: string
  userId: string
  enrollmentId: string
  signatures: string[]
}

/**
 * NOTE: after a repair Teller Connect returns the same token again; should a version return none, the stored token is
 * tried.
 */
function readHanded(query: Readonly<Record<string, string>>, former: Credentials | undefined): Handed {
  const { failure, accessToken = former ? readSecret(former).accessToken : '', userId = '', enrollmentId = '', signatures = '' } = query
  if (failure !== undefined || !/^[\w.-]{8,300}$/.test(accessToken)) throw new InputRefused(NOT_COMPLETED)
  return { accessToken, userId, enrollmentId, signatures: signatures.split(' ').filter((each) => each !== '') }
}

/**
 * Verifies Teller's Ed25519 signatures of nonce, token, user, enrollment and environment, joined by dots; during a key
 * rotation there are several signatures. Checked only where the operator has set the application's token signing key.
 * Source: https://teller.io/docs/guides/connect, and public users of it for the order of the parts
 */
function checkSignature(kit: Kit, nonce: string, { accessToken, userId, enrollmentId, signatures }: Handed): void {
  const key = kit.app.tokenSigningKey
  if (!key) return
  const signed = Buffer.from([nonce, accessToken, userId, enrollmentId, environmentOf(kit)].join('.'))
  const publicKey = toPublicKey(key)
  if (!signatures.some((each) => verify(null, signed, publicKey, Buffer.from(each, 'base64')))) throw new InputRefused(NOT_COMPLETED)
}

/** Public key: the 32 bytes that the dashboard shows in Base64, or a PEM. */
function toPublicKey(key: string): KeyObject {
  if (key.includes('BEGIN PUBLIC KEY')) return createPublicKey(key)
  const x = Buffer.from(key, 'base64').toString('base64url')
  return createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
}

/** Grant read with the access token: its bank and enrollment come from Teller, never from the browser. */
async function readGrant(kit: Kit, accessToken: string): Promise<Grant> {
  const accounts = await askTeller(kit, accessToken, '/accounts', ListAnswer)
  const account = accounts.find((each) => Check(LinkedAccount, each))
  if (accounts.length === 0) throw new InputRefused(NOTHING_SHARED)
  if (!account) throw new SourceError('badData', '/accounts: no account names its enrollment and its institution')
  const { enrollment_id: enrollmentId, institution } = account
  const secret: TellerSecret = { accessToken, enrollmentId, institutionId: institution.id }
  const entity = { id: institution.id, name: institution.name }
  return { credentials: { secret: { ...secret }, expiresAt: null }, entity, institution: entity, reference: enrollmentId }
}

function readMemo(memo: RedirectCompletion['memo']): { nonce: string; enrollmentId: string | null } {
  const { nonce, enrollmentId }: { [key: string]: Json } = isJsonObject(memo) ? memo : {}
  if (typeof nonce !== 'string') throw new SourceError('badData', 'the memo of this authorization holds no nonce')
  return { nonce, enrollmentId: typeof enrollmentId === 'string' ? enrollmentId : null }
}
