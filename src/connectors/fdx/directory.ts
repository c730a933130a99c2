import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Institution, type InstitutionPage, type Kit, SourceError } from '../contract/contract.ts'
import { isJsonObject, responseJson } from '../toolkit/http/answers.ts'
import { findEndpoints } from './endpoints.ts'
import { toOwnFault } from './errors.ts'
import type { Profile } from './profile.ts'
import { requestTokens } from './tokens.ts'

const Named = Compile(Type.Record(Type.String(), Type.Unknown()))

/** Banks behind an aggregator: those listed by the operator, or those that the aggregator offers this operator. */
export async function listInstitutions(kit: Kit, profile: Profile): Promise<InstitutionPage> {
  const { institutions } = profile
  if (institutions === undefined) return { institutions: [], next: null }
  const found =
    'listed' in institutions
      ? readConnectors(kit.app.connectors ?? '').map((each) => toInstitution(each, institutions.countries))
      : await askDirectory(kit, profile, institutions)
  return { institutions: found, next: null }
}

/** Name of a bank in the directory; its id when the directory has none. */
export async function findInstitutionName(kit: Kit, profile: Profile, id: string): Promise<string> {
  const { institutions } = await listInstitutions(kit, profile)
  return institutions.find((each) => each.id === id)?.name ?? id
}

/** Parses `mikomo=Mikomo Bank; erie=Erie Bank`: the aggregator's key of each bank, and its name. */
function readConnectors(text: string): { id: string; name: string }[] {
  return text.split(';').flatMap((entry) => {
    const [id = '', ...name] = entry.split('=')
    if (entry.trim() === '') return []
    if (!/^[\w.-]{1,80}$/.test(id.trim())) {
      throw new SourceError('unavailable', "the operator's connectors are not of the form id=Name; id=Name", { isClientRefused: true })
    }
    return [{ id: id.trim(), name: name.join('=').trim() || id.trim() }]
  })
}

/** Source: https://docs.flinks.com/api/outbound/endpoints/authorize/list-active-data-providers */
async function askDirectory(
  kit: Kit,
  profile: Profile,
  wanted: Extract<NonNullable<Profile['institutions']>, { path: string }>,
): Promise<Institution[]> {
  const what = 'the directory of institutions'
  const { access_token: token } = await requestTokens(kit, profile, await findEndpoints(kit, profile), { grant_type: 'client_credentials' })
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` }
  const response = await kit.http({ url: `${kit.hosts.directory ?? ''}${wanted.path}`, headers })
  if (response.status !== 200) throw toOwnFault(response, what, kit.now())
  const body = await responseJson(response, what)
  const list = isJsonObject(body) ? body[wanted.list] : body
  if (!Array.isArray(list)) throw new SourceError('badData', `${what}: the answer holds no list`)
  return list.flatMap((each) => {
    // An invalid record is left out: an owner cannot choose a bank without a name.
    if (!Named.Check(each)) return []
    const [id, name] = [each[wanted.id], each[wanted.name]]
    return typeof id === 'string' && id !== '' && typeof name === 'string' && name !== ''
      ? [toInstitution({ id, name }, wanted.countries)]
      : []
  })
}

function toInstitution({ id, name }: { id: string; name: string }, countries: readonly string[]): Institution {
  return { id, name, countries: [...countries], routingNumbers: [], url: null }
}
