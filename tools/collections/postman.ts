import { createHash } from 'node:crypto'
import { type CollectionRequest, type Folder, listVariables, printSentQuery, VARIABLES } from './requests.ts'

const FORMAT = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

/** A collection of Postman, format 2.1. */
export function toPostman(folders: readonly Folder[], version: string): object {
  const variables = [
    ...Object.entries(VARIABLES),
    ...['token', 'refreshToken', ...listVariables(folders)].map((name) => [name, ''] as const),
  ]
  return {
    info: {
      _postman_id: idOf('collection'),
      name: 'Countinghouse',
      version,
      description:
        'Set `baseUrl`, `email` and `password`, then send “Get a token”, “All services” and “Connections of all companies”: their answers are kept for the other requests, as are the ids of every list and of all that is made.',
      schema: FORMAT,
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: variables.map(([key, value]) => ({ key, value, type: 'string' })),
    item: folders.map(({ name, description, requests }) => ({ name, description, item: requests.map(toItem) })),
  }
}

function toItem(request: CollectionRequest): object {
  const { id, name, description, method, path, query, body, hasToken, keeps } = request
  const lines = Object.entries(keeps).map(([variable, value]) => `pm.collectionVariables.set('${variable}', ${value} ?? '')`)
  const script = ['if (pm.response.code < 300) {', '  const body = pm.response.json()', ...lines.map((line) => `  ${line}`), '}']
  return {
    id: idOf(id),
    name,
    ...(lines.length === 0 ? {} : { event: [{ listen: 'test', script: { type: 'text/javascript', exec: script } }] }),
    request: {
      method,
      description,
      ...(hasToken ? {} : { auth: { type: 'noauth' } }),
      header: body === null ? [] : [{ key: 'Content-Type', value: 'application/json' }],
      ...(body === null ? {} : { body: { mode: 'raw', raw: body, options: { raw: { language: 'json' } } } }),
      url: {
        raw: `{{baseUrl}}${path}${printSentQuery(query)}`,
        host: ['{{baseUrl}}'],
        path: path.slice(1).split('/'),
        ...(query.length === 0
          ? {}
          : {
              query: query.map(({ name: key, value, description: about, isSent }) => ({
                key,
                value,
                description: about,
                disabled: !isSent,
              })),
            }),
      },
    },
    response: [],
  }
}

/** The same id in every export, so that a new import replaces what was there. */
function idOf(name: string): string {
  const hex = createHash('sha256').update(`countinghouse ${name}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
