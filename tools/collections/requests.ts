import { type Static, Type } from 'typebox'
import { Parse } from 'typebox/value'
import { takesChallenge } from '../../src/documentation/reference/challenges.ts'

const Parameter = Type.Object({
  name: Type.String(),
  in: Type.String(),
  description: Type.Optional(Type.String()),
  required: Type.Optional(Type.Boolean()),
  example: Type.Optional(Type.Unknown()),
})

const Media = Type.Object({
  example: Type.Optional(Type.Unknown()),
  examples: Type.Optional(Type.Record(Type.String(), Type.Object({ $ref: Type.String() }))),
})

const Operation = Type.Object({
  operationId: Type.String(),
  summary: Type.String(),
  description: Type.Optional(Type.String()),
  tags: Type.Array(Type.String(), { minItems: 1 }),
  security: Type.Optional(Type.Array(Type.Unknown())),
  parameters: Type.Optional(Type.Array(Type.Union([Parameter, Type.Object({ $ref: Type.String() })]))),
  requestBody: Type.Optional(Type.Object({ content: Type.Record(Type.String(), Media) })),
})

const Document = Type.Object({
  info: Type.Object({ version: Type.String() }),
  tags: Type.Array(Type.Object({ name: Type.String(), description: Type.Optional(Type.String()) })),
  paths: Type.Record(Type.String(), Type.Record(Type.String(), Operation)),
  components: Type.Object({
    parameters: Type.Optional(Type.Record(Type.String(), Parameter)),
    examples: Type.Optional(Type.Record(Type.String(), Type.Object({ value: Type.Unknown() }))),
  }),
})
type Document = Static<typeof Document>

/** A request of a collection; `{{name}}` stands for a variable in its path and body. */
export interface CollectionRequest {
  id: string
  name: string
  folder: string
  description: string
  method: string
  path: string
  /** Not sent until somebody switches them on, but for those that the request needs. */
  query: { name: string; value: string; description: string; isSent: boolean }[]
  body: string | null
  /** Whether it is sent with the token of the collection. */
  hasToken: boolean
  /** JavaScript expressions on the answer `body`, by the variable that keeps their value. */
  keeps: Record<string, string>
}

export interface Folder {
  name: string
  description: string
  requests: CollectionRequest[]
}

/** What somebody sets before the first request; variables of paths are kept from answers. */
export const VARIABLES: Readonly<Record<string, string>> = {
  baseUrl: 'http://127.0.0.1:8480',
  email: '',
  password: '',
  eventName: 'NormalizedData',
}

/** Requests of the documents by tag, in their order. */
export function listFolders(documents: readonly object[]): Folder[] {
  const parsed = documents.map((document) => Parse(Document, document))
  const requests = parsed.flatMap((document) => listRequests(document))
  return parsed
    .flatMap(({ tags }) => tags)
    .map(({ name, description = '' }) => ({ name, description, requests: requests.filter(({ folder }) => folder === name) }))
    .filter((folder) => folder.requests.length > 0)
}

/** Names of all variables in paths. */
export function listVariables(folders: readonly Folder[]): string[] {
  const names = folders.flatMap(({ requests }) =>
    requests.flatMap(({ path }) => [...path.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name)),
  )
  return [...new Set(names)].filter((name) => !(name in VARIABLES)).sort()
}

function listRequests(document: Document): CollectionRequest[] {
  const paths = Object.keys(document.paths)
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const { operationId: id, summary, description = '', tags, security, parameters = [], requestBody } = operation
      const media = requestBody?.content['application/json']
      const example = media && exampleOf(document, media)
      return {
        id,
        name: summary,
        folder: tags[0] ?? '',
        description,
        method: method.toUpperCase(),
        path: toVariables(path, id),
        query: parameters.map((parameter) => resolve(document, parameter)).flatMap((parameter) => toQuery(parameter, id)),
        body: printBody(SENT[id] ?? example),
        hasToken: security?.length !== 0 || takesChallenge(operation),
        keeps: { ...keepsOf(path, method, paths), ...KEPT[id], ...keptRecord(path, method) },
      }
    }),
  )
}

/** A picture of one pixel, as PNG. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

/** Bodies that lead on to further requests, or name what earlier ones have made. */
const SENT: Readonly<Record<string, object>> = {
  login: { email: '{{email}}', password: '{{password}}' },
  refreshToken: { refreshToken: '{{refreshToken}}' },
  requestInstitution: { serviceId: '{{directoryServiceId}}', name: 'Caisse de Rimouski', country: 'CA' },
  sendExport: { destinationId: '{{destinationId}}' },
  proveIdentity: { password: '{{password}}' },
  beginTwoStep: { password: '{{password}}' },
  readFileFeedHostKeys: { host: 'sftp.example.com', port: 22 },
  armFault: { name: '{{faultName}}' },
  updateLogo: { content: PIXEL },
}

const CONNECTIONS = ['listConnections', 'listCompanyConnections']
const DATA = '(body.data ?? body)'
const first = (condition: string, property: string) => `${DATA}.find((each) => ${condition})?.${property}`
/** Service of the first company’s connection of this category. */
const serviceOf = (category: string) =>
  `${DATA}.find((each, _at, [oldest]) => each.companyId === oldest.companyId && each.category === '${category}')?.serviceId`

const KEPT: Readonly<Record<string, Record<string, string>>> = {
  login: { token: 'body.access_token', refreshToken: 'body.refreshToken' },
  refreshToken: { token: 'body.access_token', refreshToken: 'body.refreshToken' },
  createCompany: { companyId: 'body.id' },
  createSubscription: { subscriptionId: 'body.id' },
  listServices: {
    linkServiceId: `${first(`each.name === 'QuickBooks Online'`, 'id')} ?? ${DATA}[0]?.id`,
    directoryServiceId: first(`each.name === 'Plaid'`, 'id'),
  },
  ...Object.fromEntries(
    CONNECTIONS.map((id) => [
      id,
      {
        companyId: `${DATA}[0]?.companyId`,
        serviceId: `${serviceOf('Accounting')} ?? ${DATA}[0]?.serviceId`,
        accountingServiceId: serviceOf('Accounting'),
        bankingServiceId: serviceOf('Banking'),
      },
    ]),
  ),
  listDeliveries: { deliveryId: `${DATA}[0]?.id` },
  listEvents: { eventId: `${DATA}[0]?.Identifier.split('.').at(-1)` },
  listSimulators: { simulatorKey: first('each.faults.length > 0', 'key'), faultName: first('each.faults.length > 0', 'faults[0]') },
  listSources: { sourceKey: `${DATA}[0]?.key` },
  listDeadJobs: { jobId: `${DATA}[0]?.id` },
}

/** Variables by the name in a path, where one name stands for different things. */
const RENAMED: readonly (readonly [RegExp, Readonly<Record<string, string>>])[] = [
  [/\/accountancy\//, { serviceId: 'accountingServiceId', accountId: 'accountingAccountId', transactionId: 'accountingTransactionId' }],
  [/\/banking\//, { serviceId: 'bankingServiceId', accountId: 'bankAccountId', transactionId: 'bankTransactionId' }],
  [/\/services\/\{serviceId\}\/institutions$/, { serviceId: 'directoryServiceId' }],
  [/\/services\/\{serviceId\}|\/(link|link-mail)$/, { serviceId: 'linkServiceId' }],
  [/\/receivers\/.*\/requests/, { requestId: 'receivedRequestId' }],
  [/\/simulators\//, { key: 'simulatorKey' }],
  [/\/webhooks\/subscriptions\//, { eventNameOrSubscriptionId: 'subscriptionId' }],
]

/** The id of what was made, or of the first item of a list, for the paths that go on with it. */
function keepsOf(path: string, method: string, paths: readonly string[]): Record<string, string> {
  const next = paths.find((other) => other.startsWith(`${path}/{`) && /^\/\{\w+\}$/.test(other.slice(path.length)))
  const [, name] = /\{(\w+)\}$/.exec(next ?? '') ?? []
  if (next === undefined || name === undefined || (method !== 'get' && method !== 'post')) return {}
  return { [variableOf(next, name)]: method === 'post' ? 'body.id' : `${DATA}[0]?.id` }
}

/** The id of the first record of a list, for its explanation. */
function keptRecord(path: string, method: string): Record<string, string> {
  const [, entity] = /\/(?:accountancy|banking)\/(account|transaction)s\/\{serviceId\}$/.exec(path) ?? []
  return entity === undefined || method !== 'get' ? {} : { [variableOf(path, `${entity}Id`)]: `${DATA}[0]?.id ?? ${DATA}[0]?.origId` }
}

function variableOf(path: string, name: string): string {
  return RENAMED.find(([pattern, names]) => pattern.test(path) && name in names)?.[1][name] ?? name
}

function toVariables(path: string, id: string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => `{{${id === 'createSubscription' ? 'eventName' : variableOf(path, name)}}}`)
}

function printBody(body: unknown): string | null {
  return body === undefined ? null : JSON.stringify(body, null, 2)
}

/** Values that are sent: of several parameters one has to be there. */
const SENT_QUERY: Readonly<Record<string, Readonly<Record<string, string>>>> = { countEventsToReplay: { undeliveredSince: '2026-11-01' } }

function toQuery(
  { name, in: place, description = '', required = false, example }: Static<typeof Parameter>,
  id: string,
): CollectionRequest['query'] {
  const sent = SENT_QUERY[id]?.[name]
  const value = sent ?? (example === undefined ? '' : String(example))
  return place === 'query' ? [{ name, value, description, isSent: required || sent !== undefined }] : []
}

/** What is sent of a query, behind the path. */
export function printSentQuery(query: CollectionRequest['query']): string {
  const sent = query.filter(({ isSent }) => isSent).map(({ name, value }) => `${name}=${encodeURIComponent(value)}`)
  return sent.length === 0 ? '' : `?${sent.join('&')}`
}

function resolve(document: Document, parameter: Static<typeof Parameter> | { $ref: string }): Static<typeof Parameter> {
  if (!('$ref' in parameter)) return parameter
  const found = document.components.parameters?.[nameOf(parameter.$ref)]
  if (!found) throw new Error(`the document has no ${parameter.$ref}`)
  return found
}

function exampleOf(document: Document, { example, examples = {} }: Static<typeof Media>): unknown {
  const [shared] = Object.values(examples)
  return shared ? document.components.examples?.[nameOf(shared.$ref)]?.value : example
}

function nameOf(reference: string): string {
  return reference.split('/').at(-1) ?? ''
}
