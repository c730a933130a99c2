import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { type FormAuthorization, type FormField, InputRefused } from '../contract/authorization.ts'
import { type Kit, SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import { addressField, requestTypedAddress, requireAddress } from '../toolkit/typed-address.ts'
import { type CompanyRow, listCompanies, toContext, toEntityId } from './company.ts'
import { NotThere } from './errors.ts'
import { askVersion, authenticate, type OdooCalls, type OdooLogin, type OdooSecret, openCalls, speaksJson2 } from './request.ts'
import { refusals, unknownCompany } from './texts.ts'

const OLDEST = 12
/** First version in which a user works in several companies at once. */
const FIRST_WITH_ALLOWED_COMPANIES = 13

const EXAMPLE = { en: 'https://example.odoo.com', 'fr-CA': 'https://exemple.odoo.com' }

const fields: readonly FormField[] = [
  addressField(
    { en: 'Address of your Odoo', 'fr-CA': 'Adresse de votre Odoo' },
    { en: 'For example https://example.odoo.com', 'fr-CA': 'Par exemple https://exemple.odoo.com' },
  ),
  {
    name: 'database',
    type: 'text',
    label: { en: 'Database', 'fr-CA': 'Base de données' },
    hint: { en: 'On odoo.com it is the first word of the address.', 'fr-CA': 'Sur odoo.com, c’est le premier mot de l’adresse.' },
    required: true,
    autocomplete: 'off',
  },
  {
    name: 'user',
    type: 'text',
    label: { en: 'User (e-mail address)', 'fr-CA': 'Utilisateur (adresse courriel)' },
    hint: { en: 'A user who may read accounting is enough.', 'fr-CA': 'Un utilisateur qui peut lire la comptabilité suffit.' },
    required: true,
    autocomplete: 'username',
  },
  {
    name: 'apiKey',
    type: 'password',
    label: { en: 'API key', 'fr-CA': 'Clé API' },
    hint: {
      en: 'Made in Odoo under Preferences, Account security. Before version 14: the password.',
      'fr-CA': 'Se crée dans Odoo sous Préférences, Sécurité du compte. Avant la version 14 : le mot de passe.',
    },
    required: true,
    autocomplete: 'off',
  },
  {
    name: 'company',
    type: 'text',
    label: { en: 'Company', 'fr-CA': 'Société' },
    hint: {
      en: 'Only when this user has several; left empty, the user’s own company is taken.',
      'fr-CA': 'Seulement si cet utilisateur en a plusieurs; laissé vide, sa propre société est choisie.',
    },
    required: false,
    autocomplete: 'organization',
  },
]

const UserRow = Type.Object({
  login: Type.String(),
  lang: Type.Optional(Type.Union([Type.String(), Type.Literal(false)])),
  company_id: Type.Union([Type.Tuple([Type.Integer(), Type.String()]), Type.Literal(false)]),
  company_ids: Type.Array(Type.Integer()),
})

/** Page path at the end of a copied URL. */
const PAGE = /\/(web|odoo)(\/.*)?$/

/**
 * Form login. Checks the address, the database and the key one after the other, so that the error names the right
 * field.
 */
export const odooForm: FormAuthorization = {
  step: 'form',
  fields,
  async submit(kit, values) {
    const login: OdooLogin = {
      address: requireAddress(values.address ?? '', EXAMPLE, { page: PAGE }),
      database: (values.database ?? '').trim(),
      user: (values.user ?? '').trim(),
      apiKey: (values.apiKey ?? '').trim(),
    }
    const major = await checkServer(kit, login.address)
    const { userId, calls } = await logIn(kit, login, major)
    const user = await readUser(calls, userId)
    if (user.login.toLowerCase() !== login.user.toLowerCase()) throw new InputRefused(refusals.otherUser, 'user')
    const ownId = user.company_id === false ? null : user.company_id[0]
    const { companies } = await listCompanies(calls, user.company_ids)
    const company = chooseCompany(companies, ownId, (values.company ?? '').trim(), major)
    const secret: OdooSecret = { ...login, userId, companyId: company.id, language: user.lang || '' }
    await checkAccess(calls, secret)
    return {
      credentials: { secret, expiresAt: null },
      entity: { id: toEntityId(login.database, company), name: company.name },
      ...(login.user.includes('@') ? { email: user.login } : {}),
    }
  },
}

async function checkServer(kit: Kit, address: string): Promise<number> {
  const major = await requestTypedAddress(askVersion(kit, address))
  if (major === null) throw new InputRefused(refusals.notOdoo, 'address')
  if (major < OLDEST) throw new InputRefused(refusals.tooOld, 'address')
  return major
}

async function logIn(kit: Kit, login: OdooLogin, major: number): Promise<{ userId: number; calls: OdooCalls }> {
  try {
    const userId = speaksJson2(major) ? await askUserId(openCalls(kit, { ...login, userId: 0 }, major)) : await authenticate(kit, login)
    if (userId === null) throw new InputRefused(refusals.wrongKey, 'apiKey')
    return { userId, calls: openCalls(kit, { ...login, userId }, major) }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    if (error.kind === 'reconnect') throw new InputRefused(refusals.wrongKey, 'apiKey')
    // A database that does not exist: 404 to JSON-2, an error of PostgreSQL to JSON-RPC.
    if (error instanceof NotThere) throw new InputRefused(refusals.noDatabase, 'database')
    throw error
  }
}

async function askUserId(calls: OdooCalls): Promise<number> {
  const { result } = await calls.call('res.users', 'context_get', {})
  if (!isJsonObject(result) || typeof result.uid !== 'number') throw new SourceError('badData', 'Odoo: the key leads to no user')
  return result.uid
}

async function readUser(calls: OdooCalls, userId: number) {
  const { result } = await calls.call('res.users', 'search_read', {
    domain: [['id', '=', userId]],
    fields: ['login', 'lang', 'company_id', 'company_ids'],
  })
  const row = Array.isArray(result) ? result[0] : undefined
  if (!Value.Check(UserRow, row)) throw new SourceError('badData', 'Odoo: the user is no record')
  return row
}

/** Company by the typed name or number; without one, the user's own company, otherwise the only one. */
function chooseCompany(companies: readonly CompanyRow[], ownId: number | null, typed: string, major: number): CompanyRow {
  const [first] = companies
  if (!first) throw new InputRefused(refusals.noCompany, 'user')
  const own = companies.find(({ id }) => id === ownId) ?? first
  if (typed === '') return own
  const chosen = companies.find(({ id, name }) => String(id) === typed || sameName(name, typed))
  if (!chosen) {
    throw new InputRefused(unknownCompany(companies.map(({ name }) => name)), 'company')
  }
  if (major < FIRST_WITH_ALLOWED_COMPANIES && chosen !== own) throw new InputRefused(refusals.notCurrent, 'company')
  return chosen
}

function sameName(a: string, b: string): boolean {
  return a.trim().localeCompare(b, 'fr-CA', { sensitivity: 'base' }) === 0
}

async function checkAccess(calls: OdooCalls, secret: OdooSecret): Promise<void> {
  for (const model of ['account.account', 'account.move', 'account.move.line']) {
    try {
      await calls.call(model, 'search_read', { domain: [], fields: ['id'], limit: 1, context: toContext(secret) })
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      if (error.kind === 'reconnect') throw new InputRefused(refusals.noAccess, 'user')
      // A model that does not exist: 404 to JSON-2, an objection to JSON-RPC.
      if (error instanceof NotThere || error.kind === 'badData') throw new InputRefused(refusals.noAccounting, 'database')
      throw error
    }
  }
}
