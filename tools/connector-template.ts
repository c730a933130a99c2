/** The files of a new connector by name. `src` is the way from its folder to `src`. */
export function connectorFiles(key: string, name: string, src: string): Record<string, string> {
  const variable = key.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  const type = variable[0]?.toUpperCase() + variable.slice(1)
  return {
    'index.ts': `import type { ConnectorDescription } from '${src}/connectors/contract/contract.ts'

/** ${name}, API version … Quirks and limits are in README.md. */
export const ${variable}: ConnectorDescription = {
  key: '${key}',
  name: '${name}',
  title: '${name}',
  description: { 'en-CA': 'Chart of accounts from ${name}.', 'fr-CA': 'Plan comptable provenant de ${name}.' },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts'],
  link: 'form',
  appKeys: [],
  hosts: {},
  refreshHours: 24,
  load: () => import('./client.ts').then((module) => module.${variable}Connector),
}
`,
    'client.ts': `import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { answerJson, retryAfterMs } from '${src}/connectors/toolkit/answers.ts'
import { type Answers, type Connector, type Credentials, type HttpResponse, type Kit, type Page, type Session, type SourceItem, SourceError } from '${src}/connectors/contract/contract.ts'
import type { Json } from '${src}/model/values/json.ts'
import { to${type}Account } from './map.ts'
import { ${type}Account } from './wire.ts'

const PAGE_SIZE = 100
const Cursor = Type.Object({ page: Type.Integer({ minimum: 1 }), first: Type.Union([Type.String(), Type.Null()]) })
const FIRST: Static<typeof Cursor> = { page: 1, first: null }
/** What a throttled source that names no time is given. */
const DEFAULT_WAIT_MS = 60_000

export const ${variable}Connector: Connector = {
  authorize: {
    step: 'form',
    fields: [
      { name: 'address', type: 'url', label: { en: 'Address', 'fr-CA': 'Adresse' }, required: true },
      { name: 'key', type: 'password', label: { en: 'API key', 'fr-CA': 'Clé d’API' }, required: true },
    ],
    submit: async (kit, values) => {
      const credentials = { secret: { address: values.address ?? '', key: values.key ?? '' }, expiresAt: null }
      await get(kit, credentials, '/accounts?page=1&size=1')
      return { credentials, entity: { id: values.address ?? '', name: '${name}' } }
    },
  },
  pulls: [{ name: 'accounts', delivers: ['Accounts'], fetch: fetchAccounts, read: readAccounts }],
  entities: { Accounts: { wire: ${type}Account, map: to${type}Account } },
}

/** A page that begins like the one before is that page once more: a listing that moved, never a longer one. */
async function fetchAccounts(session: Session, cursor: Json | null): Promise<Page> {
  const { page, first } = Value.Check(Cursor, cursor) ? cursor : FIRST
  const response = await get(session.kit, session.credentials, \`/accounts?page=\${page}&size=\${PAGE_SIZE}\`)
  const answers = { accounts: response.body }
  const rows = listOf(answers)
  const begin = JSON.stringify(rows[0] ?? null)
  if (rows.length > 0 && begin === first) throw new SourceError('badData', 'accounts: a page came twice')
  return { answers, next: rows.length < PAGE_SIZE ? null : { page: page + 1, first: begin }, listing: 'complete' }
}

function* readAccounts(answers: Answers): Generator<SourceItem> {
  for (const wire of listOf(answers)) {
    const id = typeof wire === 'object' && wire !== null && 'id' in wire ? wire.id : null
    if (typeof id === 'string') yield { entity: 'Accounts', origId: id, wire }
    else yield { entity: 'Accounts', origId: null, unreadable: 'the account has no id' }
  }
}

/** A broken envelope throws: it must never look like an empty list. */
function listOf(answers: Answers): Json[] {
  const body = answerJson(answers, 'accounts')
  if (typeof body === 'object' && body !== null && 'accounts' in body && Array.isArray(body.accounts)) return body.accounts
  throw new SourceError('badData', 'accounts: the answer has no list')
}

/** Source: <address of the provider's reference> */
async function get(kit: Kit, credentials: Credentials, path: string): Promise<HttpResponse> {
  const { address, key } = credentials.secret as { address: string; key: string }
  const response = await kit.http({ url: \`\${address}\${path}\`, headers: { accept: 'application/json', authorization: \`Bearer \${key}\` } })
  if (response.status === 401 || response.status === 403) throw new SourceError('reconnect', \`accounts: status \${response.status}\`)
  if (response.status === 429) {
    throw new SourceError('rateLimited', 'accounts: status 429', { retryAfterMs: retryAfterMs(response.headers, kit.now(), DEFAULT_WAIT_MS) })
  }
  if (response.status >= 500) throw new SourceError('unavailable', \`accounts: status \${response.status}\`)
  if (response.status !== 200) throw new SourceError('badData', \`accounts: status \${response.status}\`)
  return response
}
`,
    'wire.ts': `import { type Static, Type } from 'typebox'

/** One account as the source sends it. Unknown properties and unknown words are allowed. */
export const ${type}Account = Type.Object({
  id: Type.String(),
  code: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  name: Type.String(),
  type: Type.String(),
  active: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
})
export type ${type}Account = Static<typeof ${type}Account>
`,
    'type-table.ts': `import { flagRows, plainRows, type TypeTable } from '${src}/connectors/contract/type-table.ts'
import type { AccountClass, AccountType } from '${src}/model/records/accounting.ts'

/** The source's types and what they are here. A word that is missing is counted and falls to OTHER. */
export const TYPES: Readonly<Record<string, [AccountClass, AccountType]>> = {
  bank: ['ASSET', 'BANK'],
  income: ['INCOME', 'INCOME'],
  expense: ['EXPENSE', 'EXPENSE'],
}

/** For docs/mappings/${key}.md, which \`npm run docs\` writes. */
export const typeTable: TypeTable = {
  rows: [...plainRows('type', Object.keys(TYPES).map((word) => ({ type: word }))), ...flagRows('active', (active) => ({ active }))],
  rules: [],
}
`,
    'map.ts': `import { mapping } from '${src}/connectors/contract/mapping.ts'
import type { AccountingAccount } from '${src}/model/records/accounting-account.ts'
import { TYPES } from './type-table.ts'
import type { ${type}Account } from './wire.ts'

export const to${type}Account = mapping<${type}Account, AccountingAccount>(1, {
  origId: (a) => a.id,
  number: (a) => a.code ?? '',
  name: (a) => a.name,
  currency: () => '',
  description: () => '',
  classApp: () => '',
  classSystem: (a) => TYPES[a.type]?.[0] ?? 'UNKNOWN',
  typeApp: (a) => a.type,
  typeSystem: (a, context) => {
    if (!TYPES[a.type]) context.unmapped('typeSystem', a.type)
    return TYPES[a.type]?.[1] ?? 'OTHER'
  },
  subTypeApp: () => '',
  subTypeSystem: () => '',
  statusApp: (a) => String(a.active ?? ''),
  statusSystem: (a) => (a.active === false ? 'ARCHIVED' : 'ACTIVE'),
})
`,
    'map.test.ts': `import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ${variable}Connector } from './client.ts'
import { to${type}Account } from './map.ts'

it('reads the recorded answer and fills every field', () => {
  const body = readFileSync(new URL('./fixtures/accounts.json', import.meta.url))
  const items = [...(${variable}Connector.pulls[0]?.read({ accounts: body }) ?? [])]
  expect(items).toHaveLength(2)
  const unmapped: string[] = []
  const context = { fetchedAt: new Date(0), unmapped: (field: string, word: string) => unmapped.push(\`\${field}: \${word}\`) }
  const read = (item: unknown) =>
    Object.fromEntries(
      Object.entries(to${type}Account.fields).map(([field, map]) => [field, map((item as { wire: never }).wire, context)]),
    )
  expect(read(items[0])).toMatchObject({ origId: '1', number: '1000', classSystem: 'ASSET', typeSystem: 'BANK', statusSystem: 'ACTIVE' })
  expect(read(items[1])).toMatchObject({ origId: '2', typeApp: 'mystery', typeSystem: 'OTHER', statusSystem: 'ARCHIVED' })
  expect(unmapped).toEqual(['typeSystem: mystery'])
})
`,
    'README.md': `# ${name}

| | |
| --- | --- |
| contract | <address of the provider's reference, and the version read> |
| authorization | form: address and API key |
| delivers | accounts |
| limits | <requests per minute, and what a refusal looks like> |

## Quirks

None known yet. Write down every surprise here, with where it was seen.
`,
    'fixtures/accounts.json': `{
  "accounts": [
    { "id": "1", "code": "1000", "name": "Chequing", "type": "bank", "active": true },
    { "id": "2", "name": "Odd", "type": "mystery", "active": false }
  ]
}
`,
  }
}

/** The connector's subject for the conformance suite. `connector` is the way to its folder, `suite` that to test/conformance. */
export function subjectFile(key: string, connector: string, suite: string): string {
  const variable = key.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  return `import { ${variable}Connector } from '${connector}/client.ts'
import { type Answer, openImitation } from '${suite}/stub-servers/imitation.ts'
import { listAt, textsOf } from '${suite}/opened-source.ts'
import type { Subject } from '${suite}/subject.ts'

const KEY = 'imitated-key-of-the-owner'

/** Until there is a simulator: the source's answers, as few as the connector asks for. */
function imitate(count: number): Answer {
  const accounts = Array.from({ length: count }, (_, index) => ({
    id: \`id-\${index}\`,
    code: String(1000 + index),
    name: \`Account \${index}\`,
    type: index === 7 ? 'mystery' : 'bank',
    active: index % 10 !== 9,
  }))
  return (request, _body, takeFault) => {
    if (takeFault('throttle')) return { status: 429, body: '{}', headers: { 'retry-after': '20' } }
    if (takeFault('revoked') || request.headers.authorization !== \`Bearer \${KEY}\`) return { status: 401, body: '{}' }
    if (takeFault('forbidden')) return { status: 403, body: '{}' }
    const query = new URL(request.url ?? '/', 'http://source').searchParams
    const [asked, size] = [Number(query.get('page')), Number(query.get('size'))]
    const page = asked > 1 && takeFault('repeatPage') ? asked - 1 : asked
    return { status: 200, body: JSON.stringify({ accounts: accounts.slice((page - 1) * size, page * size) }) }
  }
}

export const subject: Subject = {
  open: (size) =>
    openImitation(imitate(size === 'small' ? 40 : 450), async (kit, address) => {
      if (${variable}Connector.authorize.step !== 'form') throw new Error('connects by form')
      return await ${variable}Connector.authorize.submit(kit, { address, key: KEY })
    }),
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body) => listAt(body, 'accounts'),
      names: (row) => textsOf(row, 'id'),
      required: ['id', 'name', 'type'],
      words: { type: 'typeApp' },
    },
  ],
  throttles: [['throttle', 20_000]],
  revoked: 'revoked',
  forbidden: 'forbidden',
  expiredCursor: { because: 'a page is asked for by its number' },
  repeatedPage: 'repeatPage',
  withoutBooks: { because: 'a key opens one set of books' },
  inTheOpen: ['address'],
}
`
}
