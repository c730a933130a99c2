import { randomUUID } from 'node:crypto'
import { bearerOf, type TestApi, testApi } from '../harness/test-api.ts'

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
export const SCIM_JSON = 'application/scim+json'

/** A resource or an error; a test reads what it expects. */
export interface ScimBody {
  id: string
  userName: string
  displayName: string
  externalId?: string
  active: boolean
  status?: string
  scimType?: string
  detail?: string
  emails?: { value: string; type?: string; primary?: boolean }[]
  name?: { givenName?: string; familyName?: string; formatted?: string }
  members?: { value: string }[]
  groups?: { value: string; display: string }[]
  meta: { version: string; location: string; created: string; lastModified: string }
  totalResults: number
  itemsPerPage: number
  startIndex: number
  Resources: ScimBody[]
}

export interface ScimAnswer {
  status: number
  headers: Readonly<Record<string, unknown>>
  body: ScimBody
}

export interface ScimHarness extends TestApi {
  admin: { id: string; email: string }
  /** Authorization header of the administrator. */
  adminHeaders(): Promise<{ authorization: string }>
  key: string
  newKey(scopes?: string[], as?: { authorization: string }): Promise<string>
  scim(method: string, path: string, body?: unknown, options?: { key?: string; headers?: Record<string, string> }): Promise<ScimAnswer>
  /** Adds a user who has the name as address; returns the answer’s body. */
  user(userName?: string, more?: object): Promise<ScimBody>
  group(displayName: string, members?: readonly string[], more?: object): Promise<ScimBody>
  patch(path: string, ...operations: object[]): Promise<ScimAnswer>
  giveRoles(roles: Record<string, string>): Promise<number>
  /** Account of a user as administrators see it. */
  account(id: string): Promise<{ email: string; name: string; role: string; isEnabled: boolean }>
}

export async function scimHarness(settings: Parameters<typeof testApi>[0] = {}): Promise<ScimHarness> {
  const api = await testApi({ requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 }, ...settings })
  const admin = await api.addUser({ email: 'boss@example.com' })
  let headers = await bearerOf(api, admin.email)
  const newKey: ScimHarness['newKey'] = async (scopes = ['scim'], as = headers) => {
    const made = await api.app.inject({ method: 'POST', url: '/admin/api/v1/api-keys', headers: as, payload: { name: 'IdP', scopes } })
    return made.json<{ key: string }>().key
  }
  const key = await newKey()
  const scim: ScimHarness['scim'] = async (method, path, body, options = {}) => {
    const answer = await api.app.inject({
      method: method as 'GET',
      url: `/scim/v2${path}`,
      headers: {
        authorization: `Bearer ${options.key ?? key}`,
        ...(body === undefined ? {} : { 'content-type': SCIM_JSON }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const parsed: unknown = answer.payload === '' ? {} : answer.json()
    return { status: answer.statusCode, headers: answer.headers, body: parsed as ScimBody }
  }
  const made = async (path: string, body: object) => {
    const answer = await scim('POST', path, body)
    if (answer.status !== 201) throw new Error(`${path} answers ${answer.status} ${answer.body.detail}`)
    return answer.body
  }
  return {
    ...api,
    admin,
    adminHeaders: async () => {
      headers = await bearerOf(api, admin.email)
      return headers
    },
    key,
    newKey,
    scim,
    user: (userName = `${randomUUID()}@example.com`, more = {}) => made('/Users', { schemas: [USER], userName, ...more }),
    group: (displayName, members = [], more = {}) =>
      made('/Groups', { schemas: [GROUP], displayName, members: members.map((value) => ({ value })), ...more }),
    patch: (path, ...Operations) => scim('PATCH', path, { schemas: [PATCH], Operations }),
    giveRoles: async (roles) => {
      const groupRoles = Object.entries(roles).map(([group, role]) => ({ group, role }))
      return (await api.app.inject({ method: 'PUT', url: '/admin/api/v1/group-roles', headers, payload: { groupRoles } })).statusCode
    },
    account: async (id) => {
      const { rows } = await api.deps.database.query<{ email: string; name: string; role: string; isEnabled: boolean }>(
        'select email, name, role, disabled_at is null as "isEnabled" from users where id = $1',
        [id],
      )
      const [row] = rows
      if (!row) throw new Error('no such user')
      return row
    },
  }
}
