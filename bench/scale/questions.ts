import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Requests whose latency must not grow with the number of companies. */
export interface Question {
  name: string
  /** Path below `/admin/api/v1`; `number` is a different company of the crowd each time. */
  path(number: number, serviceId: string): string
}

const DATA = '/normalized-data'
const API = '/admin/api/v1'
const DOCUMENTS = ['openapi.json', 'administration.json']

interface Parameter {
  name?: string
  $ref?: string
  schema?: { enum?: string[] }
}
interface ApiDocument {
  paths: Record<string, { get?: { parameters?: Parameter[] } }>
  components: { parameters: Record<string, Parameter> }
}

/** Lists of a whole instance with every property that orders them, as the API's documents have them. */
function listOrders(): [string, string[]][] {
  return DOCUMENTS.flatMap((file) => {
    const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'api', file), 'utf8')
    const { paths, components } = JSON.parse(text) as ApiDocument
    const resolve = (one: Parameter): Parameter => components.parameters[one.$ref?.split('/').at(-1) ?? ''] ?? one
    return Object.entries(paths).flatMap(([path, { get }]): [string, string[]][] => {
      const names = get?.parameters?.map(resolve).find(({ name }) => name === 'OrderBy')?.schema?.enum
      return names && !path.includes('{') ? [[path.replace(API, ''), names]] : []
    })
  })
}

/** Filters by list; `#` is the number of a company. */
const FILTERED: readonly (readonly [string, string])[] = [
  [`${DATA}/companies`, 'externalId="customer-#"'],
  [`${DATA}/companies`, 'name="0000000 Bakery # inc."'],
  [`${DATA}/companies`, 'name~"Bakery #"'],
  [`${DATA}/companies`, 'city=Laval'],
  [`${DATA}/companies`, 'metadata.segment=s7'],
  [`${DATA}/companies`, 'createdOn>=2026-01-01 && createdOn<2026-01-02'],
  [`${DATA}/data-connection/statuses`, 'statusName=Disconnected'],
  [`${DATA}/data-connection/statuses`, 'statusCode=19'],
  [`${DATA}/data-connection/statuses`, 'statusCode=8 && isCurrent=true'],
  [`${DATA}/data-connection/statuses`, 'createdOn>=2026-01-01 && createdOn<2026-01-02'],
  [`${DATA}/data-connection/statuses`, 'lastUpdatedOn>=2026-11-20'],
  [`${DATA}/consents`, 'givenOn>=2026-01-01 && givenOn<2026-01-02'],
  [`${DATA}/receipts`, 'issuedOn>=2026-01-01 && issuedOn<2026-01-02'],
  ['/webhooks/deliveries', 'status=failed'],
  ['/webhooks/deliveries', 'createdOn>=2026-11-20'],
  ['/mails', 'state=waiting'],
]

/** Searches for companies: of one, of a tenth of all, of all, and of none; `#` is the number of a company. */
const SEARCHES = ['bakery #', 'dent', 'e', 'inc', 'absent']

const PLAIN = [
  `${DATA}/changes?Limit=100`,
  '/webhooks/events',
  '/audit',
  '/mails',
  '/usage?Days=7',
  '/usage/quotas',
  '/jobs/queues',
  '/usage/funnel',
  '/deployment',
]

/** `companyId` gives the id of a company of the crowd. */
export function listQuestions(companyId: (number: number) => string): Question[] {
  const page = (kind: string): Question => ({
    name: `page of ${kind}`,
    path: (number, serviceId) => `${DATA}/${companyId(number)}/banking/${kind}/${serviceId}?PageSize=100`,
  })
  return [
    page('accounts'),
    page('transactions'),
    { name: 'a company', path: (number) => `${DATA}/companies/${companyId(number)}` },
    { name: 'its connections', path: (number) => `${DATA}/company/${companyId(number)}/data-connection/statuses` },
    { name: 'its history', path: (number, serviceId) => `${DATA}/company/${companyId(number)}/data-connection/${serviceId}/timeline` },
    { name: 'its quality', path: (number, serviceId) => `${DATA}/company/${companyId(number)}/data-connection/${serviceId}/quality` },
    { name: 'its accounts, matched', path: (number) => `${DATA}/companies/${companyId(number)}/accounts` },
    ...listOrders().flatMap(([path, names]) =>
      names.flatMap((name) =>
        [false, true].map((isDescending) => ({
          name: `${path} by ${name}${isDescending ? ', descending' : ''}`,
          path: () => `${path}?PageSize=100&OrderBy=${name}&Desc=${isDescending}`,
        })),
      ),
    ),
    ...FILTERED.map(([path, filter]) => ({
      name: `${path} where ${filter}`,
      path: (number: number) => `${path}?PageSize=100&FilterQuery=${encodeURIComponent(filter.replace('#', String(number)))}`,
    })),
    ...SEARCHES.map((words) => ({
      name: `${DATA}/companies where Search=${words}`,
      path: (number: number) => `${DATA}/companies?PageSize=100&Search=${encodeURIComponent(words.replace('#', String(number)))}`,
    })),
    ...PLAIN.map((path) => ({ name: path, path: () => path })),
  ]
}
