import { type FormAuthorization, InputRefused } from '../contract/authorization.ts'
import { type Grant, type Kit, SourceError } from '../contract/contract.ts'
import { START } from './paging.ts'
import { fill, fillPath, partsOf, valueAt } from './pointers.ts'
import type { Profile } from './profile.ts'
import { askForOne, type Caller } from './request.ts'
import { fetchRows } from './rows.ts'
import { refusals } from './texts.ts'
import { secretOf, toCredentials } from './tokens.ts'

/** The form of a profile: its fields, a token where there are tokens, proof, and the first page of each list of accounts. */
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
      // Values are put into paths, where these two mean something else.
      if (value === '' || value === '.' || value === '..' || value.length > 500 || !isFit) throw new InputRefused(refusals.form, name)
      return [name, value]
    }),
  )
}

/** The customer's name. What does not fit and who is not there are refused in the same words: nobody learns who banks here. */
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

/** Written with or without blanks, hyphens and accents, in any case: the same. */
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

/** What the bank refuses here, whoever typed can mend. */
async function forTheOwner<T>(profile: Profile, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'reconnect') throw error
    const password = profile.connect.fields.find(({ type }) => type === 'password')
    throw new InputRefused(password ? refusals.password : refusals.unknown, password?.name ?? null)
  }
}
