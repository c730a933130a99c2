import type { IdentityProvider } from '../../../store/access/identity-providers.ts'
import { normalizeEmail } from '../../../store/access/users.ts'
import { SignInFault } from './faults.ts'

/** Claims of an ID token, completed by those of the user info endpoint. */
export type Claims = Readonly<Record<string, unknown>>

/** A person as the provider describes them. */
export interface Person {
  subject: string
  /** As written by `normalizeEmail`; null: not given. */
  email: string | null
  isEmailVerified: boolean
  name: string | null
  /** Null: the provider says nothing about groups. */
  groups: string[] | null
}

const MAX_GROUPS = 5_000
const MAX_GROUP_LENGTH = 300
const EMAIL = /^[^\s@]+@[^\s@]+$/

/** Throws a `SignInFault` for a member with more groups than the provider puts into a token, or than are read. */
export function toPerson(claims: Claims, { groupsClaim, trustsEmails }: Pick<IdentityProvider, 'groupsClaim' | 'trustsEmails'>): Person {
  const email = textOf(claims.email)
  return {
    subject: textOf(claims.sub) ?? '',
    email: email !== null && EMAIL.test(email) && email.length <= 320 ? normalizeEmail(email) : null,
    isEmailVerified: trustsEmails || claims.email_verified === true || claims.email_verified === 'true',
    name: textOf(claims.name)?.slice(0, 200) ?? null,
    groups: groupsClaim === null ? null : readGroups(claims, groupsClaim),
  }
}

/**
 * Groups of a claim: a list of texts, or one text. `groupsClaim` is the claim's name, or a path of names separated by
 * dots, as Keycloak nests roles (`realm_access.roles`). Null without the claim.
 */
function readGroups(claims: Claims, groupsClaim: string): string[] | null {
  checkOverage(claims, groupsClaim)
  const value = claims[groupsClaim] ?? readPath(claims, groupsClaim.split('.'))
  if (value === undefined || value === null) return null
  const groups = (Array.isArray(value) ? value : [value]).filter((group) => typeof group === 'string' && group.length <= MAX_GROUP_LENGTH)
  if (groups.length > MAX_GROUPS) throw new SignInFault('groupsMissing', `the person is in more than ${MAX_GROUPS} groups`)
  return groups.map(String)
}

/** Whether a claim of this name is there, or the first part of a path. */
export function mayHoldGroups(claims: Claims, groupsClaim: string): boolean {
  return [groupsClaim, ...groupsClaim.split('.', 1)].some((name) => claims[name] !== undefined)
}

/**
 * Entra ID leaves groups out of a token with more than 200 of them. Taken as none, they would take a role away.
 * Source: https://learn.microsoft.com/en-us/entra/identity-platform/id-token-claims-reference#groups-overage-claim
 */
function checkOverage(claims: Claims, groupsClaim: string): void {
  const { _claim_names: elsewhere, hasgroups } = claims
  if (hasgroups === true || hasgroups === 'true' || (isObject(elsewhere) && Object.hasOwn(elsewhere, groupsClaim)))
    throw new SignInFault('groupsMissing', 'the provider left the groups out of its token, because there are too many')
}

/** Throws a `SignInFault` unless the provider authenticated the person as the settings demand. */
export function checkAuthentication(
  claims: Claims,
  { acceptedAcr, acceptedAmr }: Pick<IdentityProvider, 'acceptedAcr' | 'acceptedAmr'>,
): void {
  const methods = Array.isArray(claims.amr) ? claims.amr.map(String) : []
  const isAcrGood = acceptedAcr.length === 0 || acceptedAcr.includes(textOf(claims.acr) ?? '')
  const isAmrGood = acceptedAmr.length === 0 || methods.some((method) => acceptedAmr.includes(method))
  if (!isAcrGood || !isAmrGood) throw new SignInFault('weakAuthentication', 'acr or amr is not among the accepted ones')
}

function readPath(from: Claims, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), from)
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
