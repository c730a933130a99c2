import { type Static, Type } from 'typebox'
import { Parse } from 'typebox/value'
import { takesChallenge } from '../../src/documentation/reference/challenges.ts'

const Parameter = Type.Object({
  name: Type.String(),
  in: Type.String(),
  description: Type.Optional(Type.String()),
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
  /** Not sent until somebody switches them on. */
  query: { name: string; value: string; description: string }[]
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
export const VARIABLES: Readonly<Record<string, string>> = { baseUrl: 'http://127.0.0.1:8480', email: '', password: '' }

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
  return [...new Set(names)].sort()
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
        path: toVariables(path),
        query: parameters.map((parameter) => resolve(document, parameter)).flatMap((parameter) => toQuery(parameter)),
        body: example === undefined ? null : JSON.stringify(SENT[id] ?? example, null, 2),
        hasToken: security?.length !== 0 || takesChallenge(operation),
        keeps: { ...keepsOf(path, method, paths), ...KEPT[id] },
      }
    }),
  )
}

/** Bodies that lead on to further requests. */
const SENT: Readonly<Record<string, object>> = {
  login: { email: '{{email}}', password: '{{password}}' },
  refreshToken: { refreshToken: '{{refreshToken}}' },
}

const KEPT: Readonly<Record<string, Record<string, string>>> = {
  login: { token: 'body.access_token', refreshToken: 'body.refreshToken' },
  refreshToken: { token: 'body.access_token', refreshToken: 'body.refreshToken' },
  createCompany: { companyId: 'body.id' },
  createSubscription: { subscriptionId: 'body.id' },
}

/** The id of what was made, or of the first item of a list, for the paths that go on with it. */
function keepsOf(path: string, method: string, paths: readonly string[]): Record<string, string> {
  const [, name] =
    paths.map((other) => (other.startsWith(`${path}/{`) ? /^\/\{(\w+)\}$/.exec(other.slice(path.length)) : null)).find(Boolean) ?? []
  if (name === undefined || (method !== 'get' && method !== 'post')) return {}
  return { [name]: method === 'post' ? 'body.id' : '(body.data ?? body)[0]?.id' }
}

function toVariables(path: string): string {
  return path.replace(/\{(\w+)\}/g, '{{$1}}')
}

function toQuery({ name, in: place, description = '', example }: Static<typeof Parameter>): CollectionRequest['query'] {
  return place === 'query' ? [{ name, value: example === undefined ? '' : String(example), description }] : []
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
