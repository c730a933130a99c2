import { type FormAuthorization, InputRefused } from '../contract/authorization.ts'
import { type Grant, type Kit, SourceError } from '../contract/contract.ts'
import { START } from './paging.ts'
import { fill, fillPath, partsOf, valueAt } from './pointers.ts'
import type { Profile } from './profile.ts'
import { askForOne, type Caller } from './request.ts'
import { fetchRows } from './rows.ts'
import { refusals } from './texts.ts'
import { secretOf, toCredentials } from './tokens.ts'

/**
 * Form of a profile: checks its fields, requests a token where there are tokens, verifies the proof and reads the first
 * page of each account list.
 */
export function formOf(profile: Profile): FormAuthorization {
  const { fields } = profile.connect
  return {
    step: 'form',
    fields: fields.map(({ name, type, label, hint }) => ({
      name,
      type,
      label,
      ...(hint ? { hint } : {}),
      required: true,
      autocomplete: 'off',
    })),
    submit: (kit, values) => submit(profile, kit, values),
  }
}

async function submit(profile: Profile, kit: Kit, values: Record<string, string>): Promise<Grant> {
  const fields = checkFields(profile, values)
  const credentials = await forTheOwner(profile, () => toCredentials(profile, kit, fields))
  const caller: Caller = { profile, kit, secret: secretOf(credentials) }
  const name = await forTheOwner(profile, () => checkCustomer(caller, fields))
  const hasAccounts = await forTheOwner(profile, () => findAccounts(caller))
  if (!hasAccounts) throw new InputRefused(refusals.noAccounts)
  const id = fill(profile.connect.id, { ...kit.app, ...fields })
  return { credentials, entity: { id, name: name || profile.name } }
}

function checkFields({ connect }: Profile, values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    connect.fields.map(({ name, type, pattern }) => {
      const typed = values[name] ?? ''
      const value = type === 'password' ? typed : typed.trim()
      const isFit = pattern === undefined || new RegExp(`^(?:${pattern})$`, 'u').test(value)
      // Values are inserted into paths, where `.` and `..` have a different meaning.
      if (value === '' || value === '.' || value === '..' || value.length > 500 || !isFit) throw new InputRefused(refusals.form, name)
      return [name, value]
    }),
  )
}

/**
 * Customer's name. A wrong field and an unknown customer are refused with the same text, so that nobody can find out
 * who has an account here.
 */
async function checkCustomer(caller: Caller, fields: Record<string, string>): Promise<string> {
  const { profile, kit } = caller
  const { customer } = profile.connect
  if (!customer) return ''
  const found = await askForOne(caller, `${kit.hosts.api}${fillPath(customer.path, { ...kit.app, ...fields })}`, 'the customer')
  for (const { field, is } of customer.proof ?? []) {
    const known = valueAt(found?.body, partsOf(is))
    const isThere = (typeof known === 'string' || typeof known === 'number') && plain(String(known)) !== ''
    if (!isThere || plain(String(known)) !== plain(fields[field] ?? '')) throw new InputRefused(refusals.unknown)
  }
  if (!found) throw new InputRefused(refusals.unknown)
  const name = customer.name === undefined ? undefined : valueAt(found.body, partsOf(customer.name))
  return typeof name === 'string' ? name.trim() : ''
}

/** Text for comparison, without blanks, hyphens, accents and case. */
function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
}

async function findAccounts(caller: Caller): Promise<boolean> {
  for (const list of caller.profile.accounts) {
    const { rows, after } = await fetchRows(caller, list, START)
    if (rows.length > 0 || after !== null) return true
  }
  return false
}

/** Errors of the bank during the form login can be resolved by the person who filled in the form. */
async function forTheOwner<T>(profile: Profile, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'reconnect') throw error
    const password = profile.connect.fields.find(({ type }) => type === 'password')
    throw new InputRefused(password ? refusals.password : refusals.unknown, password?.name ?? null)
  }
}
