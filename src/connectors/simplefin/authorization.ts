import { hash } from 'node:crypto'
import { distinctInSlices } from '../../model/steps/slices.ts'
import { parseWebAddress } from '../../model/values/web-address.ts'
import { type FormAuthorization, type FormField, InputRefused } from '../contract/authorization.ts'
import { type Kit, SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import { throwForStatus } from '../toolkit/http/status-failures.ts'
import { askAccounts, isSecure, marksOf, readSecret, type SimplefinSecret } from './request.ts'
import { refusals } from './texts.ts'
import type { AccountSet } from './wire.ts'

const fields: readonly FormField[] = [
  {
    name: 'token',
    type: 'password',
    label: { en: 'SimpleFIN token', 'fr-CA': 'Jeton SimpleFIN' },
    hint: {
      en: 'Make one at https://bridge.simplefin.org/simplefin/create or at your bank, and paste it here. It works once.',
      'fr-CA': 'Créez-en un sur https://bridge.simplefin.org/simplefin/create ou à votre banque, et collez-le ici. Il ne sert qu’une fois.',
    },
    required: true,
    autocomplete: 'off',
  },
]

const MAX_NAMES = 3
const CLAIM_WAIT_MS = 60_000

/** Token form. Claims the token, which works once: later errors must not lose the access URL it returned. */
export const tokenForm: FormAuthorization = {
  step: 'form',
  fields,
  async submit(kit, values, reconnect) {
    const access = await claim(kit, readToken(kit, values.token ?? ''))
    const set = await firstLook(kit, access)
    const marks = await distinctInSlices(set?.accounts ?? [], marksOf)
    const former = reconnect ? readSecret(reconnect) : null
    // SimpleFIN has no owner id: another token belongs to the same owner when it lists an earlier account.
    const isSame = former !== null && (set === null || former.marks === '' || former.marks.split('\n').some((mark) => marks.has(mark)))
    const entityId = former !== null && isSame ? former.entityId : hash('sha256', `${access.base}\n${access.user}`).slice(0, 32)
    const known = set === null && former !== null ? former.marks : [...marks].join('\n')
    const secret: SimplefinSecret = { ...access, entityId, marks: known }
    return { credentials: { secret, expiresAt: null }, entity: { id: entityId, name: await nameOf(set, access.base) } }
  },
}

/** Claim URL in the token; surrounding blanks and line ends are dropped. */
function readToken(kit: Kit, typed: string): URL {
  const text = typed.replace(/\s+/g, '')
  const decoded = /^[\w+/-]{8,2000}={0,2}$/.test(text) ? Buffer.from(text, 'base64').toString('utf8') : ''
  const url = /^[\x21-\x7e]+$/.test(decoded) ? parseWebAddress(decoded) : null
  if (url === null || url.username !== '') throw new InputRefused(refusals.noToken, 'token')
  if (!isSecure(kit, url)) throw new InputRefused(refusals.notSecure, 'token')
  return url
}

type Access = Pick<SimplefinSecret, 'base' | 'user' | 'password'>

async function claim(kit: Kit, url: URL): Promise<Access> {
  const response = await kit.http({ method: 'POST', url: url.href, body: '' }).catch((error: unknown) => {
    if (error instanceof SourceError && error.kind === 'unavailable') throw new InputRefused(refusals.unreachable, 'token')
    throw error
  })
  const { status } = response
  if (status === 403 || status === 404) throw new InputRefused(refusals.claimed, 'token')
  if (status >= 500) throw new InputRefused(refusals.unreachable, 'token')
  if (status === 429) throwForStatus(kit, response, { source: 'SimpleFIN', what: 'the claim', waitMs: CLAIM_WAIT_MS })
  const access = status === 200 ? URL.parse(new TextDecoder().decode(response.body).trim()) : null
  if (access === null || access.username === '') throw new InputRefused(refusals.notSimplefin, 'token')
  if (!isSecure(kit, access)) throw new InputRefused(refusals.notSecure, 'token')
  return {
    base: `${access.origin}${access.pathname}`.replace(/\/+$/, ''),
    user: decodeURIComponent(access.username),
    password: decodeURIComponent(access.password),
  }
}

/**
 * First account list after the claim. Null on a server error: the token is used up already, so the first sync reads it.
 */
async function firstLook(kit: Kit, access: Access): Promise<AccountSet | null> {
  try {
    return (await askAccounts(kit, access, { 'balances-only': '1' })).set
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    if (error.kind === 'reconnect') throw new InputRefused(refusals.needsOwner, 'token')
    if (error.kind === 'badData') throw new InputRefused(refusals.notSimplefin, 'token')
    return null
  }
}

/** Name of the connection: the banks' names, or else the server's. */
async function nameOf(set: AccountSet | null, base: string): Promise<string> {
  const names = await distinctInSlices(set?.accounts ?? [], (account) => {
    const org = isJsonObject(account) && isJsonObject(account.org) ? account.org : {}
    const name = org.name ?? org.domain
    return typeof name === 'string' && name !== '' ? [name] : []
  })
  if (names.size === 0) return new URL(base).hostname
  return [...names].slice(0, MAX_NAMES).join(', ') + (names.size > MAX_NAMES ? ', …' : '')
}
