import { normalizeEmail } from '../../../store/access/users.ts'
import type { ScimAttributes, ScimEmail, ScimName, ScimUserRow } from '../../../store/provisioning/scim-users.ts'
import { Attributes, isObject, type JsonObject } from '../messages/json.ts'
import { invalidValue } from '../messages/scim-error.ts'

const MAX_TEXT = 200
const MAX_NAME = 320
const MAX_EXTERNAL_ID = 400
/** Addresses of one user. */
export const MAX_EMAILS = 10
const ADDRESS = /^[^\s@<>,;:"()[\]\\]{1,64}@[^\s@<>,;:"()[\]\\]+$/

/** What an identity provider may say of a user, read from a request. */
export interface UserDocument extends ScimUserRow {
  /** Address and name of the account. */
  email: string
  name: string
}

/**
 * Reads the attributes of a user that are kept; others are left alone. Throws a 400 for one of a wrong type, and without
 * a user name or an address. Without `active` a user who was deactivated stays so.
 */
export function readUserDocument(attributes: Attributes, wasActive = true): UserDocument {
  const userName = attributes.text('username', 'userName', MAX_NAME)?.trim()
  if (!userName) throw invalidValue('userName is required.')
  const kept: ScimAttributes = {}
  const displayName = attributes.text('displayname', 'displayName', MAX_TEXT)
  const name = readName(attributes.get('name'))
  const emails = readEmails(attributes.list('emails', 'emails', MAX_EMAILS))
  if (displayName !== undefined) kept.displayName = displayName
  if (name !== null) kept.name = name
  if (emails.length > 0) kept.emails = emails
  return {
    userName,
    externalId: attributes.text('externalid', 'externalId', MAX_EXTERNAL_ID) ?? null,
    attributes: kept,
    isActive: attributes.truth('active', 'active') ?? wasActive,
    email: normalizeEmail(emailOf(userName, emails)),
    name: nameOf(userName, kept),
  }
}

/** A user as a request would say it: what a PATCH begins with. */
export function toRequest({ userName, externalId, attributes, isActive }: ScimUserRow): JsonObject {
  return { userName, ...(externalId === null ? {} : { externalId }), ...attributes, active: isActive }
}

/** Name of the account: the best that was sent. */
export function nameOf(userName: string, { displayName, name }: ScimAttributes): string {
  const whole = [name?.givenName, name?.familyName].filter(Boolean).join(' ')
  const found = [displayName, name?.formatted, whole, userName].find((each) => each !== undefined && each.trim() !== '')
  return (found ?? userName).trim().slice(0, MAX_TEXT).toWellFormed()
}

function readName(value: unknown): ScimName | null {
  if (value === undefined) return null
  if (!isObject(value)) throw invalidValue('name must be an object.')
  const parts = new Attributes(value)
  const read = { formatted: 'formatted', familyname: 'familyName', givenname: 'givenName' } as const
  const name: ScimName = {}
  for (const [key, shown] of Object.entries(read)) {
    const text = parts.text(key, `name.${shown}`, MAX_TEXT)
    if (text !== undefined) name[shown] = text
  }
  return Object.keys(name).length === 0 ? null : name
}

function readEmails(values: readonly unknown[]): ScimEmail[] {
  const emails = values.map((value, index) => {
    const shown = `emails[${index}]`
    if (!isObject(value)) throw invalidValue(`${shown} must be an object.`)
    const parts = new Attributes(value)
    const address = parts.text('value', `${shown}.value`, MAX_NAME)
    if (address === undefined || !ADDRESS.test(address.trim())) throw invalidValue(`${shown}.value must be an e-mail address.`)
    const type = parts.text('type', `${shown}.type`, MAX_TEXT)
    const primary = parts.truth('primary', `${shown}.primary`)
    return { value: address.trim(), ...(type === undefined ? {} : { type }), ...(primary === undefined ? {} : { primary }) }
  })
  if (emails.filter(({ primary }) => primary).length > 1) throw invalidValue('emails has more than one primary value.')
  return emails
}

/** The primary address, else that of work, else the first, else the user name. */
function emailOf(userName: string, emails: readonly ScimEmail[]): string {
  const found = emails.find(({ primary }) => primary) ?? emails.find(({ type }) => type?.toLowerCase() === 'work') ?? emails[0]
  if (found) return found.value
  if (!ADDRESS.test(userName)) throw invalidValue('An e-mail address is needed: in emails, or as userName.')
  return userName
}
