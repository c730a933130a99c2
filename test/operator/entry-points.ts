import { mx } from '../../src/connectors/mx/index.ts'
import { xero } from '../../src/connectors/xero/index.ts'
import { webhookUrlOf } from '../../src/sync/provider-webhooks/subscribe.ts'
import { GROUP, PATCH, SCIM_JSON, USER } from '../scim/harness.ts'
import type { OperatorHarness } from './harness.ts'
import type { Tenant } from './tenants.ts'

/** A request in which `{name}` stands for an id. */
export interface Template {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  body?: string
}

export interface EntryPointCaller {
  name: string
  headers: Record<string, string>
  /** Token of the forms of an owner's page. */
  form?: string
}

/** A way into the deployment beside the API for developers and that of operators. */
export interface EntryPoint {
  name: string
  templates: readonly Template[]
  /** Each kind of caller of a tenant. */
  callersOf(tenant: Tenant): Promise<EntryPointCaller[]>
  headers: Readonly<Record<string, string>>
}

const get = (url: string): Template => ({ method: 'GET', url })
const withBody = (method: Template['method'], url: string, body: object | string): Template => ({
  method,
  url,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

function scim(): Template[] {
  const change = { schemas: [PATCH], Operations: [{ op: 'replace', path: 'externalId', value: 'mine' }] }
  const user = { schemas: [USER], userName: 'mine@example.com', emails: [{ value: 'mine@example.com' }] }
  const group = { schemas: [GROUP], displayName: 'Mine', members: [{ value: '{userId}' }] }
  return [
    ...(['Users/{userId}', 'Groups/{groupId}'] as const).flatMap((path) => [
      get(`/scim/v2/${path}`),
      withBody('PATCH', `/scim/v2/${path}`, change),
      withBody('PUT', `/scim/v2/${path}`, path.startsWith('Users') ? user : group),
      withBody('DELETE', `/scim/v2/${path}`, ''),
    ]),
    get('/scim/v2/Users?filter=id%20eq%20%22{userId}%22'),
    get('/scim/v2/Groups?filter=id%20eq%20%22{groupId}%22'),
    get('/scim/v2/Groups?filter=members%20eq%20%22{userId}%22'),
    withBody('POST', '/scim/v2/Groups', { ...group, displayName: 'Theirs' }),
  ]
}

function mcp(): Template[] {
  const place = { companyId: '{companyId}', serviceId: '{serviceId}', category: 'banking', entity: 'accounts' }
  const calls: [string, object][] = [
    ['list_companies', { filter: 'id={companyId}' }],
    ['list_connections', { companyId: '{companyId}' }],
    ['list_company_accounts', { companyId: '{companyId}' }],
    ['list_records', place],
    ['explain_record', { ...place, recordId: '{accountId}' }],
    ['get_quality', { companyId: '{companyId}', serviceId: '{serviceId}' }],
  ]
  return calls.map(([name, args]) =>
    withBody('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  )
}

const OWNER_PATHS = ['pause', 'continue', 'renew', 'withdraw', 'delete', 'download'].map((name) => `/connect/yours/${name}`)
const OWNER_FILES = ['data.json', 'accounts.csv', 'transactions.csv'].map((name) => `/connect/yours/files/${name}`)
const RECEIPTS = ['receipt', 'receipt/receipt.txt', 'receipt/receipt.json'].map((name) => `/connect/yours/${name}?receipt={receiptId}`)

const OWNERS: Template[] = [
  ...[...OWNER_PATHS, ...OWNER_FILES].map((path) => get(`${path}?connection={connectionId}`)),
  ...RECEIPTS.map(get),
  ...OWNER_PATHS.slice(0, -1).map((path) => withBody('POST', `${path}?connection={connectionId}`, 'form={form}')),
  get('/connect/yours?token={companyId}'),
  get('/connect?token={companyId}&serviceId={serviceId}&instanceId={instanceId}&accountId={companyId}'),
  get('/connect/consent?link={companyId}'),
  get('/connect/done?connections={connectionId}'),
  get('/connect/reminders?token={companyId}'),
  get('/connect/callback?state={connectionId}&code=1'),
  withBody('POST', '/connect/consent', 'link={companyId}&form={form}&choice=agree'),
]

const DOCUMENTS: Template[] = [
  ...['/docs/', '/docs/{companyId}', '/docs/guides/{companyId}.md', '/docs/reference/{userId}', '/docs/../{instanceId}'].map(get),
  get('/docs/?instanceId={instanceId}&q={companyId}'),
]

const HOOKS: Template[] = ['xero', 'mx', '{serviceId}'].flatMap((key) => [
  withBody('POST', `/hooks/${key}/instances/{instanceId}`, '{"events":[]}'),
  withBody('POST', `/hooks/${key}/instances/{instanceId}/{connectionId}`, '{"member_guid":"{connectionId}"}'),
  withBody('POST', `/hooks/${key}`, '{"events":[{"tenantId":"{connectionId}"}]}'),
  get(`/hooks/${key}/instances/{instanceId}?txVerificationCode={companyId}`),
])

const RECEIVERS: Template[] = [
  withBody('POST', '/receiver/{receiverId}', '{}'),
  withBody('POST', '/receiver/{subscriptionId}', '{"Identifier":"{eventId}"}'),
  get('/receiver/{receiverId}'),
]

/** Sources of which the deployment has keys, so that their webhooks are read: one that signs them, and one that does not. */
export const HOOKED = [xero, mx]

/** All of them; `ownerOf` opens the page of a company of the tenant and returns its cookie and the token of its forms. */
export function listEntryPoints(
  api: OperatorHarness,
  ownerOf: (tenant: Tenant) => Promise<{ cookie: string; form: string }>,
): EntryPoint[] {
  const bearers = async ({ callers }: Tenant) => [
    { name: 'nobody', headers: {} },
    ...[...callers].map(([name, token]) => ({ name, headers: { authorization: `Bearer ${token}` } })),
  ]
  const nobody = async () => [{ name: 'nobody', headers: {} }]
  const unsigned = new URL(webhookUrlOf(api.deps.sync, api.deps.sync.baseUrl, mx)).pathname
  const json = { 'content-type': 'application/json' }
  return [
    { name: '/scim/v2', templates: scim(), callersOf: bearers, headers: { 'content-type': SCIM_JSON } },
    {
      ...{ name: '/mcp', templates: mcp(), callersOf: bearers },
      headers: { ...json, accept: 'application/json, text/event-stream' },
    },
    {
      name: '/connect',
      templates: OWNERS,
      callersOf: async (tenant) => {
        const { cookie, form } = await ownerOf(tenant)
        return [
          { name: 'nobody', headers: {} },
          { name: 'an owner', headers: { cookie }, form },
        ]
      },
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    },
    { name: '/docs', templates: DOCUMENTS, callersOf: bearers, headers: {} },
    {
      ...{ name: '/hooks', callersOf: nobody, headers: json },
      templates: [
        ...HOOKS,
        withBody('POST', unsigned, '{"type":"AGGREGATION","action":"member_data_updated","member_guid":"{connectionId}"}'),
      ],
    },
    { name: '/receiver', templates: RECEIVERS, callersOf: nobody, headers: json },
  ]
}
