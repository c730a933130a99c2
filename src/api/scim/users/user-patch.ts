import type { ScimFilter } from '../../../store/provisioning/filters.ts'
import { Attributes, isObject, type JsonObject } from '../messages/json.ts'
import type { PatchStep } from '../messages/patch.ts'
import { invalidPath, invalidValue, ScimError } from '../messages/scim-error.ts'
import { MAX_EMAILS } from './user-document.ts'

const KEPT = { username: 'userName', externalid: 'externalId', displayname: 'displayName', active: 'active' } as const
const NAME_PARTS = { formatted: 'formatted', familyname: 'familyName', givenname: 'givenName' } as const
const EMAIL_PARTS = { value: 'value', type: 'type', primary: 'primary' } as const

/** Attributes of the standard that are not kept: a PATCH of them changes nothing. */
const NOT_KEPT = new Set(
  `nickname profileurl title usertype preferredlanguage locale timezone password phonenumbers ims photos addresses entitlements roles
   x509certificates name.middlename name.honorificprefix name.honorificsuffix emails.display`.split(/\s+/),
)
const REQUIRED = new Set(['username', 'active'])
const READ_ONLY = new Set(['groups', 'meta', 'schemas'])

type Draft = Record<string, unknown>

/**
 * A user as a request would say it, after the steps of a PATCH. Whether the values are right is decided afterwards, as
 * for a whole user. Throws a 400.
 */
export function patchUser(before: JsonObject, id: string, steps: readonly PatchStep[]): Attributes {
  const draft: Draft = structuredClone(before)
  for (const step of steps) apply(draft, id, step)
  return new Attributes(draft)
}

function apply(draft: Draft, id: string, step: PatchStep): void {
  const { attribute, filter } = step.path
  const [head = '', part] = attribute.startsWith('urn:') ? [attribute] : attribute.split('.')
  if (head.startsWith('urn:') || NOT_KEPT.has(attribute) || NOT_KEPT.has(head)) return
  if (head === 'id' && step.value === id) return
  if (head === 'id' || READ_ONLY.has(head)) throw new ScimError(400, 'mutability', `${head} cannot be changed.`)
  if (head === 'emails') {
    patchEmails(draft, step, part ?? null)
    // At each step, so that no number of steps makes a long list.
    if (Array.isArray(draft.emails) && draft.emails.length > MAX_EMAILS) throw invalidValue(`emails has more than ${MAX_EMAILS} values.`)
  } else if (filter !== null) throw invalidPath(`${head} has no values to choose from.`)
  else if (head === 'name') patchName(draft, step, part)
  else {
    const name = part === undefined ? propertyOf(KEPT, head) : undefined
    if (name === undefined) throw invalidPath(`There is no attribute ${attribute.slice(0, 100)}.`)
    if (step.operation === 'remove' && REQUIRED.has(head)) throw new ScimError(400, 'mutability', `${name} cannot be removed.`)
    if (REQUIRED.has(head) && new Attributes({ value: step.value }).get('value') === undefined) throw invalidValue(`${name} is required.`)
    set(draft, name, step)
  }
}

function set(of: Draft, name: string, { operation, value }: PatchStep): void {
  if (operation === 'remove') delete of[name]
  else of[name] = value
}

/** A complex attribute is merged. Source: https://www.rfc-editor.org/rfc/rfc7644#section-3.5.2.3 */
function patchName(draft: Draft, step: PatchStep, part: string | undefined): void {
  const name: Draft = isObject(draft.name) ? { ...draft.name } : {}
  if (part !== undefined) {
    const known = propertyOf(NAME_PARTS, part)
    if (known === undefined) throw invalidPath(`There is no attribute name.${part.slice(0, 100)}.`)
    set(name, known, step)
  } else if (step.operation === 'remove' || step.value === null) {
    delete draft.name
    return
  } else {
    if (!isObject(step.value)) throw invalidValue('name must be an object.')
    for (const [given, value] of Object.entries(step.value)) {
      const known = propertyOf(NAME_PARTS, given.toLowerCase())
      if (known !== undefined) name[known] = value
    }
  }
  draft.name = name
}

function patchEmails(draft: Draft, step: PatchStep, part: string | null): void {
  const { operation, value, path } = step
  const emails = Array.isArray(draft.emails) ? draft.emails.filter(isObject) : []
  const wanted = path.part ?? part
  if (path.filter === null && wanted === null) {
    draft.emails = withValues(emails, operation, value)
    return
  }
  const property = wanted === null ? null : propertyOf(EMAIL_PARTS, wanted)
  if (property === undefined) {
    if (NOT_KEPT.has(`emails.${wanted}`)) return
    throw invalidPath(`There is no attribute emails.${wanted?.slice(0, 100)}.`)
  }
  const { filter } = path
  const isMeant = (email: JsonObject) => filter === null || matches(filter, email)
  if (operation === 'remove') {
    draft.emails = emails.flatMap((email) => (!isMeant(email) ? [email] : property === null ? [] : [without(email, property)]))
    return
  }
  const part_ = property === null ? (isObject(value) ? value : null) : { [property]: value }
  if (part_ === null) throw invalidValue('A value of emails must be an object.')
  draft.emails = emails.some(isMeant)
    ? withOnePrimary(
        emails,
        emails.map((email) => (isMeant(email) ? { ...email, ...part_ } : email)),
      )
    : withOnePrimary(emails, [...emails, { ...implied(filter, operation), ...part_ }])
}

/** The list after values were added, replaced or removed; a removal without a value removes all, one of an empty list none. */
function withValues(emails: readonly JsonObject[], operation: PatchStep['operation'], value: unknown): readonly unknown[] {
  const isAbsent = value === undefined || value === null
  const values: unknown[] = isAbsent ? [] : Array.isArray(value) ? value : [value]
  if (values.length > MAX_EMAILS) throw invalidValue(`emails has more than ${MAX_EMAILS} values.`)
  const given = values.map((each) => (isObject(each) ? each : { value: each }))
  const isGiven = (email: JsonObject) => given.some((each) => each.value === email.value)
  if (operation === 'replace') return given
  if (operation === 'remove') return isAbsent ? [] : emails.filter((email) => !isGiven(email))
  return withOnePrimary(emails, [...emails.filter((email) => !isGiven(email)), ...given])
}

/** A value that becomes the primary one takes that from the others. */
function withOnePrimary(before: readonly JsonObject[], after: readonly JsonObject[]): readonly JsonObject[] {
  const isPrimary = ({ primary }: JsonObject) => String(primary).toLowerCase() === 'true'
  const fresh = after.findLast((email) => isPrimary(email) && !before.includes(email))
  return fresh === undefined ? after : after.map((email) => (email !== fresh && isPrimary(email) ? { ...email, primary: false } : email))
}

function without(email: JsonObject, property: string): JsonObject {
  return Object.fromEntries(Object.entries(email).filter(([name]) => name !== property))
}

/** What a filter that found nothing says of the value that it was meant for: Entra ID adds values in this way. */
function implied(filter: ScimFilter | null, operation: string): JsonObject {
  const parts = filter?.kind === 'and' ? filter.filters : filter === null ? [] : [filter]
  const entries = parts.map((each) => {
    const name = each.kind === 'compare' && each.operator === 'eq' ? propertyOf(EMAIL_PARTS, each.attribute) : undefined
    if (each.kind !== 'compare' || name === undefined)
      throw new ScimError(400, 'noTarget', `Nothing to ${operation}: no value of emails matches.`)
    return [name, each.value] as const
  })
  return Object.fromEntries(entries)
}

/** Whether one of several values matches. Throws a 400 for a comparison that is not known. */
function matches(filter: ScimFilter, email: JsonObject): boolean {
  if (filter.kind === 'and') return filter.filters.every((each) => matches(each, email))
  if (filter.kind === 'or') return filter.filters.some((each) => matches(each, email))
  if (filter.kind === 'not') return !matches(filter.filter, email)
  const name = propertyOf(EMAIL_PARTS, filter.attribute)
  if (name === undefined) throw invalidPath(`There is no attribute emails.${filter.attribute.slice(0, 100)}.`)
  const value = email[name]
  if (filter.kind === 'present') return value !== undefined
  const [has, wanted] = [value, filter.value].map((each) => String(each ?? (name === 'primary' ? 'false' : '')).toLowerCase())
  if (filter.operator === 'eq') return has === wanted
  if (filter.operator === 'ne') return has !== wanted
  throw invalidPath('Values of emails are chosen by eq, ne and pr.')
}

function propertyOf<Names extends Readonly<Record<string, string>>>(names: Names, name: string): Names[keyof Names] | undefined {
  return Object.hasOwn(names, name) ? names[name as keyof Names] : undefined
}
