import type { Json } from '../../model/values/json.ts'
import { type FormAuthorization, type FormField, InputRefused } from '../contract/authorization.ts'
import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { isJsonObject, responseJson } from '../toolkit/http/answers.ts'
import { addressField, reachTypedAddress, requireAddress } from '../toolkit/typed-address.ts'
import { readCompany, toEntityId } from './company.ts'
import { askVersion, logIn, openCalls, readFaultName, readSession, type TrytonCalls, type TrytonLogin, toCredentials } from './request.ts'
import { refusals } from './texts.ts'

const OLDEST_MAJOR_VERSION = 6

const EXAMPLE = { en: 'https://tryton.example.com', 'fr-CA': 'https://tryton.example.com' }

const fields: readonly FormField[] = [
  addressField(
    { en: 'Address of your Tryton server', 'fr-CA': 'Adresse de votre serveur Tryton' },
    { en: 'For example https://tryton.example.com', 'fr-CA': 'Par exemple https://tryton.example.com' },
  ),
  { name: 'database', type: 'text', label: { en: 'Database', 'fr-CA': 'Base de données' }, required: true, autocomplete: 'off' },
  {
    name: 'user',
    type: 'text',
    label: { en: 'User name', 'fr-CA': 'Nom d’utilisateur' },
    hint: { en: 'A user who may read accounting is enough.', 'fr-CA': 'Un utilisateur qui peut lire la comptabilité suffit.' },
    required: true,
    autocomplete: 'username',
  },
  {
    name: 'password',
    type: 'password',
    label: { en: 'Password', 'fr-CA': 'Mot de passe' },
    required: true,
    autocomplete: 'current-password',
  },
]

/**
 * Form login. Checks the address, the database and the password one after the other, so that the error names the right
 * field.
 */
export const trytonForm: FormAuthorization = {
  step: 'form',
  fields,
  async submit(kit, values) {
    const login = { address: requireAddress(values.address ?? '', EXAMPLE), ...readLogin(values) }
    await checkServer(kit, login.address)
    const session = await tryLogin(kit, login)
    const calls = openCalls(kit, { ...login, companyId: 0, session })
    const preferences = await readPreferences(calls)
    const companyId = await chooseCompany(calls, preferences)
    await checkAccess(calls, companyId)
    const company = await readCompany(calls, companyId)
    const email = preferences.email
    return {
      credentials: toCredentials(kit, { ...login, companyId, session }),
      entity: { id: toEntityId(login.database, companyId, company), name: company.name },
      ...(typeof email === 'string' && email !== '' ? { email } : {}),
    }
  },
}

function readLogin(values: Record<string, string>): Omit<TrytonLogin, 'address'> {
  return { database: (values.database ?? '').trim(), user: (values.user ?? '').trim(), password: values.password ?? '' }
}

async function checkServer(kit: Kit, address: string): Promise<void> {
  const response = await reachTypedAddress(askVersion(kit, address))
  const version = response.status === 200 ? await readVersion(response) : null
  if (version === null) throw new InputRefused(refusals.notTryton, 'address')
  if (Number.parseInt(version, 10) < OLDEST_MAJOR_VERSION) throw new InputRefused(refusals.tooOld, 'address')
}

async function readVersion(response: HttpResponse): Promise<string | null> {
  const answer = await readAnswer(response)
  const version = isJsonObject(answer) ? answer.result : null
  return typeof version === 'string' && /^\d+\.\d+/.test(version) ? version : null
}

async function readAnswer(response: HttpResponse): Promise<Json> {
  try {
    return await responseJson(response, 'Tryton')
  } catch (error) {
    if (error instanceof SourceError) throw new InputRefused(refusals.notTryton, 'address')
    throw error
  }
}

async function tryLogin(kit: Kit, login: TrytonLogin) {
  const response = await reachTypedAddress(logIn(kit, login))
  if (response.status === 401 || response.status === 403) throw new InputRefused(refusals.wrongPassword, 'password')
  if (response.status === 404) throw new InputRefused(refusals.noDatabase, 'database')
  const faultName = response.status === 200 ? readFaultName(await readAnswer(response)) : null
  if (faultName === 'LoginException') throw new InputRefused(refusals.secondFactor, 'user')
  // The server gives no reason; with a file database a wrong database name ends here.
  if (faultName !== null && faultName !== 'RateLimitException') throw new InputRefused(refusals.noDatabase, 'database')
  return await readSession(kit, response)
}

async function readPreferences(calls: TrytonCalls): Promise<{ [key: string]: Json }> {
  const { result } = await calls.fetch('model.res.user.get_preferences', [false, {}])
  if (!isJsonObject(result)) throw new SourceError('badData', 'Tryton: the preferences are no record')
  return result
}

/** The company that the user works for; without one, the only company there is. */
async function chooseCompany(calls: TrytonCalls, preferences: { [key: string]: Json }): Promise<number> {
  const { company, companies } = preferences
  if (typeof company === 'number') return company
  const first = Array.isArray(companies) ? companies[0] : undefined
  if (typeof first === 'number') return first
  const { result } = await calls.fetch('model.company.company.search', [[], 0, 2, [['id', 'ASC']], {}])
  if (!Array.isArray(result) || result.length !== 1 || typeof result[0] !== 'number') throw new InputRefused(refusals.noCompany, 'user')
  return result[0]
}

async function checkAccess(calls: TrytonCalls, companyId: number): Promise<void> {
  const searches: [string, Json[]][] = [
    ['model.account.account.search', [['company', '=', companyId]]],
    ['model.account.account.type.search', [['company', '=', companyId]]],
    ['model.account.move.line.search', [['move.company', '=', companyId]]],
  ]
  for (const [method, domain] of searches) {
    try {
      await calls.fetch(method, [domain, 0, 1, null, { company: companyId }])
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      if (error.kind === 'reconnect') throw new InputRefused(refusals.noAccess, 'user')
      // A model that does not exist is an internal error to the server.
      if (error.kind === 'unavailable') throw new InputRefused(refusals.noAccounting, 'database')
      throw error
    }
  }
}
