import type { Operation, Parameter } from '../../api/reference/reference-schema.ts'
import { takesChallenge } from './challenges.ts'
import { exampleOfBody, exampleOfParameter } from './examples.ts'

/** An operation with its address. */
export interface Call {
  path: string
  method: string
  operation: Operation
}

/** Who may call an operation: programs by their keys, users alone, or anybody. */
type Caller = 'key' | 'user' | 'anybody'

export interface Sample {
  language: string
  /** Of the language in Markdown. */
  mark: string
  code: string
}

/** The call in three languages, with what it cannot do without. */
export function samplesOf(base: string, call: Call): Sample[] {
  return [
    { language: 'curl', mark: 'sh', code: curlOf(base, call) },
    { language: 'TypeScript', mark: 'ts', code: typescriptOf(base, call) },
    { language: 'Python', mark: 'python', code: pythonOf(base, call) },
  ]
}

function callerOf({ security }: Operation): Caller {
  if (security?.length === 0) return 'anybody'
  return security && JSON.stringify(security).includes('apiKey') ? 'key' : 'user'
}

function needed({ parameters = [] }: Operation, where: string): Parameter[] {
  return parameters.filter((parameter) => parameter.in === where && (where === 'path' || parameter.required))
}

/** `$TOKEN` and words in `<…>` are placeholders. */
function curlOf(base: string, { path, method, operation }: Call): string {
  const values = new Map(needed(operation, 'path').map((parameter) => [parameter.name, String(exampleOfParameter(parameter))]))
  const query = needed(operation, 'query').map((parameter) => `${parameter.name}=${String(exampleOfParameter(parameter))}`)
  const place = path.replace(/\{(\w+)\}/g, (_match, name: string) => values.get(name) ?? `<${name}>`)
  const address = `${base}${place}${query.length > 0 ? `?${query.join('&')}` : ''}`
  const lines = [`curl${method === 'GET' ? '' : ` -X ${method}`} ${quote(address)}`]
  const sendsToken = callerOf(operation) !== 'anybody' || takesChallenge(operation)
  if (sendsToken) lines.push('-H "Authorization: Bearer $TOKEN"')
  const media = operation.requestBody?.content['application/json']
  if (media) lines.push('-H "Content-Type: application/json"', `-d ${quote(JSON.stringify(exampleOfBody(media)))}`)
  return lines.join(' \\\n  ')
}

/** Quoting for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function typescriptOf(base: string, { operation }: Call): string {
  const credentials: Record<Caller, string> = {
    key: ', apiKey: process.env.COUNTINGHOUSE_API_KEY',
    user: ", login: { email: 'ann@example.com', password: '<password>' }",
    anybody: '',
  }
  const media = operation.requestBody?.content['application/json']
  const parts = [
    ...(['path', 'query'] as const).flatMap((where) => {
      const given = needed(operation, where)
      return given.length === 0 ? [] : [[where, Object.fromEntries(given.map((each) => [each.name, exampleOfParameter(each)]))] as const]
    }),
    ...(media ? [['body', exampleOfBody(media)] as const] : []),
    ...(takesChallenge(operation) ? [['headers', { Authorization: 'Bearer <access_token>' }] as const] : []),
  ]
  const given = parts.map(([name, value]) => `${name}: ${literal(value, TYPESCRIPT)}`)
  const inner = given.length === 0 ? '' : `{ ${given.join(', ')} }`
  return [
    "import { Countinghouse } from '@countinghouse/sdk'",
    `const api = new Countinghouse({ baseUrl: '${base}'${credentials[callerOf(operation)]} })`,
    `const answer = await api.${operation.operationId}(${inner})`,
  ].join('\n')
}

function pythonOf(base: string, { operation }: Call): string {
  const caller = callerOf(operation)
  const credentials: Record<Caller, string> = {
    key: ', api_key=os.environ["COUNTINGHOUSE_API_KEY"]',
    user: ', login=Login("ann@example.com", "<password>")',
    anybody: '',
  }
  const media = operation.requestBody?.content['application/json']
  const given = [
    ...(takesChallenge(operation) ? ['"<access_token>"'] : []),
    ...needed(operation, 'path').map((parameter) => literal(exampleOfParameter(parameter), PYTHON)),
    ...(media ? [literal(exampleOfBody(media), PYTHON)] : []),
    ...needed(operation, 'query').map((parameter) => `${toSnake(parameter.name)}=${literal(exampleOfParameter(parameter), PYTHON)}`),
  ]
  return [
    ...(caller === 'key' ? ['import os'] : []),
    `from countinghouse import Countinghouse${caller === 'user' ? ', Login' : ''}`,
    `api = Countinghouse("${base}"${credentials[caller]})`,
    `answer = api.${toSnake(operation.operationId)}(${given.join(', ')})`,
  ].join('\n')
}

/** As the SDK for Python spells names: `PageNumber` is `page_number`; a word of the language gets an underscore. */
function toSnake(name: string): string {
  const snake = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
  return snake === 'from' ? 'from_' : snake
}

interface Spelling {
  text(value: string): string
  key(name: string): string
  yes: string
  no: string
  nothing: string
  /** Whether an object with members has spaces inside. */
  isSpaced: boolean
}

const TYPESCRIPT: Spelling = {
  text: (value) => `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`,
  key: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`),
  yes: 'true',
  no: 'false',
  nothing: 'null',
  isSpaced: true,
}

const PYTHON: Spelling = {
  text: (value) => JSON.stringify(value),
  key: (name) => JSON.stringify(name),
  yes: 'True',
  no: 'False',
  nothing: 'None',
  isSpaced: false,
}

function literal(value: unknown, spelling: Spelling): string {
  if (value === null || value === undefined) return spelling.nothing
  if (typeof value === 'string') return spelling.text(value)
  if (typeof value === 'boolean') return value ? spelling.yes : spelling.no
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, spelling)).join(', ')}]`
  if (typeof value !== 'object') return String(value)
  const members = Object.entries(value).map(([name, each]) => `${spelling.key(name)}: ${literal(each, spelling)}`)
  if (members.length === 0) return '{}'
  return spelling.isSpaced ? `{ ${members.join(', ')} }` : `{${members.join(', ')}}`
}
