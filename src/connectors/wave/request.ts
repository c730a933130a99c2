import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { type Kit, SourceError } from '../contract/contract.ts'
import { responseJson } from '../toolkit/http/answers.ts'
import { hasErrors, toSourceError } from './errors.ts'
import { BUSINESSES } from './queries.ts'
import { BusinessesWire } from './wire.ts'

/** Maximum pages, of 50 businesses each: a longer list is an endless one. */
const MAX_PAGES_OF_BUSINESSES = 20

const isBusinesses = Compile(BusinessesWire)

/** Person who authorized, and the businesses that the token covers. */
interface Identity {
  email: string | null
  businesses: { id: string; name: string }[]
}

/** Archived businesses take part in nothing and are left out. */
export async function readIdentity(kit: Kit, accessToken: string): Promise<Identity> {
  const identity: Identity = { email: null, businesses: [] }
  for (let page = 1; page <= MAX_PAGES_OF_BUSINESSES; page++) {
    const { body } = await ask(kit, accessToken, { query: BUSINESSES, variables: { page }, what: 'the query for businesses' })
    const data = typeof body === 'object' && body !== null && !Array.isArray(body) ? body.data : null
    if (!isBusinesses.Check(data)) throw new SourceError('badData', 'Wave answered without a list of businesses')
    identity.email = data.user?.defaultEmail ?? identity.email
    for (const { node } of data.businesses.edges) {
      if (node && node.isArchived !== true) identity.businesses.push({ id: node.id, name: node.name ?? '' })
    }
    if (page >= (data.businesses.pageInfo.totalPages ?? 0)) return identity
  }
  throw new SourceError('badData', 'the list of businesses has no end')
}

interface Question {
  query: string
  variables: Record<string, Json>
  what: string
}

/** Sends one query; the body decides whether it failed, whatever the status. */
export async function ask(kit: Kit, accessToken: string, { query, variables, what }: Question): Promise<{ bytes: Uint8Array; body: Json }> {
  const response = await kit.http({
    method: 'POST',
    url: `${kit.hosts.api}/graphql/public`,
    headers: { accept: 'application/json', 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({ query, variables }),
  })
  if (response.status !== 200) throw toSourceError(response, what, kit.now())
  const body = await responseJson(response, what)
  if (hasErrors(body)) throw toSourceError(response, what, kit.now(), body)
  return { bytes: response.body, body }
}
