import { type FormAuthorization, type FormField, InputRefused } from '../contract/authorization.ts'
import { type Kit, SourceError } from '../contract/contract.ts'
import { isJsonObject, peekJson } from '../toolkit/http/answers.ts'
import { addressField, reachTypedAddress, requireAddress } from '../toolkit/typed-address.ts'
import { type CompanyRow, listCompanies, toEntityId } from './company.ts'
import { NotThere, refuseStatus } from './errors.ts'
import { type ErpnextCalls, type ErpnextLogin, type ErpnextSecret, openCalls, ping } from './request.ts'
import { refusals, unknownCompany, whichCompany } from './texts.ts'

/** Oldest supported version, since which a cancelled ledger line is kept and marked. */
const OLDEST = 13

const EXAMPLE = { en: 'https://erp.example.com', 'fr-CA': 'https://erp.exemple.com' }

const fields: readonly FormField[] = [
  addressField(
    { en: 'Address of your ERPNext', 'fr-CA': 'Adresse de votre ERPNext' },
    { en: 'For example https://erp.example.com', 'fr-CA': 'Par exemple https://erp.exemple.com' },
  ),
  {
    name: 'apiKey',
    type: 'text',
    label: { en: 'API key', 'fr-CA': 'Clé API' },
    hint: {
      en: 'Made in ERPNext on the page of the user, under Settings, API access.',
      'fr-CA': 'Se crée dans ERPNext sur la page de l’utilisateur, sous Paramètres, Accès API.',
    },
    required: true,
    autocomplete: 'off',
  },
  { name: 'apiSecret', type: 'password', label: { en: 'API secret', 'fr-CA': 'Secret API' }, required: true, autocomplete: 'off' },
  {
    name: 'company',
    type: 'text',
    label: { en: 'Company', 'fr-CA': 'Société' },
    hint: { en: 'Only when there are several: name or abbreviation.', 'fr-CA': 'Seulement s’il y en a plusieurs : nom ou abréviation.' },
    required: false,
    autocomplete: 'organization',
  },
]

/** Page path at the end of a copied URL. */
const PAGE = /\/(app|desk|login)(\/.*)?$/

/**
 * Form login. Checks the address, the key and the company one after the other, so that the error names the right field.
 */
export const erpnextForm: FormAuthorization = {
  step: 'form',
  fields,
  async submit(kit, values) {
    const login: ErpnextLogin = {
      address: requireAddress(values.address ?? '', EXAMPLE, { page: PAGE }),
      apiKey: (values.apiKey ?? '').trim(),
      apiSecret: (values.apiSecret ?? '').trim(),
    }
    await checkServer(kit, login.address)
    const calls = openCalls(kit, login)
    const user = await logIn(calls)
    await checkVersion(calls)
    const company = chooseCompany(await tryListCompanies(calls), (values.company ?? '').trim())
    await checkAccess(calls, company)
    const secret: ErpnextSecret = { ...login, abbreviation: company.abbr }
    return {
      credentials: { secret, expiresAt: null },
      entity: { id: toEntityId(company), name: company.name },
      ...(user.includes('@') ? { email: user } : {}),
    }
  },
}

async function checkServer(kit: Kit, address: string): Promise<void> {
  const response = await reachTypedAddress(ping(kit, address))
  if (response.status === 429) refuseStatus(kit, response, 'the ping')
  const answer = response.status === 200 ? peekJson(response) : null
  if (!isJsonObject(answer) || answer.message !== 'pong') throw new InputRefused(refusals.notErpnext, 'address')
}

/** Name of the user, an e-mail address for all but Administrator. */
async function logIn(calls: ErpnextCalls): Promise<string> {
  try {
    const user = await calls.ask('frappe.auth.get_logged_user')
    if (typeof user === 'string' && user !== 'Guest') return user
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'reconnect') throw error
  }
  throw new InputRefused(refusals.wrongKey, 'apiSecret')
}

/** A site that hides its version is accepted. */
async function checkVersion(calls: ErpnextCalls): Promise<void> {
  const versions = await calls.ask('frappe.utils.change_log.get_versions').catch((error: unknown) => {
    if (error instanceof SourceError && error.kind !== 'rateLimited') return null
    throw error
  })
  if (!isJsonObject(versions)) return
  if (!isJsonObject(versions.erpnext)) throw new InputRefused(refusals.notErpnext, 'address')
  const major = Number.parseInt(String(versions.erpnext.version), 10)
  if (major < OLDEST) throw new InputRefused(refusals.tooOld, 'address')
}

async function tryListCompanies(calls: ErpnextCalls): Promise<CompanyRow[]> {
  return (await guarded(() => listCompanies(calls, []))).companies
}

/**
 * Company by name or abbreviation where one was typed, else the only one: a guess among several would connect the wrong
 * company.
 */
function chooseCompany(companies: readonly CompanyRow[], typed: string): CompanyRow {
  const [first] = companies
  const names = companies.map(({ name }) => name)
  if (!first) throw new InputRefused(refusals.noCompany, 'apiKey')
  if (typed === '' && companies.length > 1) throw new InputRefused(whichCompany(names), 'company')
  if (typed === '') return first
  const chosen = companies.find(({ name, abbr }) => sameName(name, typed) || sameName(abbr, typed))
  if (!chosen) throw new InputRefused(unknownCompany(names), 'company')
  return chosen
}

function sameName(a: string, b: string): boolean {
  return a.trim().localeCompare(b, 'fr-CA', { sensitivity: 'base' }) === 0
}

async function checkAccess(calls: ErpnextCalls, { name }: CompanyRow): Promise<void> {
  await guarded(() => calls.list('Account', { fields: ['name'], filters: [['company', '=', name]], limit: 1 }))
  const filters = [
    ['company', '=', name],
    ['is_cancelled', '=', 0],
  ]
  await guarded(() => calls.list('GL Entry', { fields: ['name'], filters, limit: 1 }))
}

/** Maps errors: a refusal here is about the user's roles; a missing doctype is Frappe without ERPNext. */
async function guarded<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof NotThere) throw new InputRefused(refusals.notErpnext, 'address')
    if (error instanceof SourceError && error.kind === 'reconnect') throw new InputRefused(refusals.noAccess, 'apiKey')
    throw error
  }
}
