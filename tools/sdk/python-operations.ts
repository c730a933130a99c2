import { type Static, Type } from 'typebox'
import { takesChallenge } from '../../src/documentation/reference/challenges.ts'

const Content = Type.Record(Type.String(), Type.Object({ schema: Type.Object({ $ref: Type.String() }) }))
const ParameterSchema = Type.Object({
  type: Type.Optional(Type.Union([Type.Literal('string'), Type.Literal('integer'), Type.Literal('boolean')])),
  enum: Type.Optional(Type.Array(Type.String())),
  anyOf: Type.Optional(Type.Array(Type.Object({ enum: Type.Array(Type.String()) }))),
})
const Parameter = Type.Object({
  name: Type.String(),
  in: Type.Union([Type.Literal('path'), Type.Literal('query'), Type.Literal('header')]),
  required: Type.Optional(Type.Boolean()),
  schema: ParameterSchema,
})
const Operation = Type.Object({
  operationId: Type.String(),
  summary: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  security: Type.Optional(Type.Array(Type.Unknown())),
  parameters: Type.Array(Parameter),
  requestBody: Type.Optional(Type.Object({ content: Content })),
  responses: Type.Record(Type.String(), Type.Object({ content: Type.Optional(Type.Record(Type.String(), Type.Unknown())) })),
})
type Operation = Static<typeof Operation>

/** What the methods of the Python SDK are made of. Every body is named in the document. */
export const PythonDocument = Type.Object({
  paths: Type.Record(Type.String(), Type.Record(Type.String(), Operation)),
  webhooks: Type.Record(Type.String(), Type.Object({ post: Type.Object({ requestBody: Type.Object({ content: Content }) }) })),
})
export type PythonDocument = Static<typeof PythonDocument>

const HEAD = '# Written by `npm run sdk` from the OpenAPI document.\n\nfrom __future__ import annotations\n'
const JSON_TYPE = 'application/json'

/** A class with a method for each operation; `_call` is the client's. */
export function printOperations(document: PythonDocument, { isAsync }: { isAsync: boolean }): string {
  const methods = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, operation]) => printMethod(verb.toUpperCase(), path, operation, isAsync)),
  )
  return [
    HEAD,
    'from typing import Any, Literal',
    '',
    'from ..calls import Call',
    'from . import models',
    '',
    '',
    `class ${isAsync ? 'AsyncOperations' : 'Operations'}:`,
    `    ${isAsync ? 'async ' : ''}def _call(self, call: Call) -> Any:`,
    '        raise NotImplementedError',
    ...methods,
    '',
  ].join('\n')
}

/** The union of all events, told apart by `MessageType`. */
export function printEvents(document: PythonDocument): string {
  const names = Object.values(document.webhooks).map(({ post }) => nameBody(post.requestBody.content))
  const events = names.map((name) => `models.${name}`).join(' | ')
  return [
    HEAD,
    'from typing import TypeAlias',
    '',
    'from . import models',
    '',
    '#: What a deployment sends; `MessageType` tells which.',
    `WebhookEvent: TypeAlias = ${events}`,
    '',
  ].join('\n')
}

function printMethod(verb: string, path: string, operation: Operation, isAsync: boolean): string {
  const { parameters, requestBody } = operation
  const places = (['path', 'query', 'header'] as const).map((where) => parameters.filter((parameter) => parameter.in === where))
  const [segments = [], query = [], headers = []] = places
  const named = [...query, ...headers].toSorted((a, b) => Number(b.required ?? false) - Number(a.required ?? false))
  const isOfChallenge = takesChallenge(operation)
  const given = [
    'self',
    ...(isOfChallenge ? ['challenge: str'] : []),
    ...segments.map(({ name, schema }) => `${toSnake(name)}: ${printType(schema)}`),
    ...(requestBody ? [`body: models.${nameBody(requestBody.content)}`] : []),
    ...(named.length > 0 ? ['*'] : []),
    ...named.map(({ name, schema, required }) => `${toSnake(name)}: ${printType(schema)}${required ? '' : ' | None = None'}`),
  ]
  const answer = printAnswer(operation)
  const toDictionary = (label: string, of: typeof parameters) =>
    of.length === 0 ? [] : [`${label}={${of.map(({ name }) => `"${name}": ${toSnake(name)}`).join(', ')}}`]
  const call = [
    `"${verb}"`,
    `"${path}"`,
    ...toDictionary('path', segments),
    ...toDictionary('query', query),
    ...toDictionary('headers', headers),
    ...(isOfChallenge ? ['headers={"Authorization": f"Bearer {challenge}"}'] : []),
    ...(requestBody ? ['body=body'] : []),
    ...(operation.security?.length === 0 ? ['public=True'] : []),
  ]
  return [
    '',
    `    ${isAsync ? 'async ' : ''}def ${toSnake(operation.operationId)}(`,
    ...given.map((parameter) => `        ${parameter},`),
    `    ) -> ${answer}:`,
    ...printDocstring(operation),
    `        ${answer === 'None' ? '' : 'return '}${isAsync ? 'await ' : ''}self._call(`,
    '            Call(',
    ...call.map((argument) => `                ${argument},`),
    '            )',
    '        )',
  ].join('\n')
}

/** Files (CSV, NDJSON, Parquet) are bytes. */
function printAnswer({ operationId, responses }: Operation): string {
  const contents = Object.entries(responses).flatMap(([status, { content }]) => (/^2/.test(status) && content ? [content] : []))
  if (contents.length === 0) return 'None'
  if (contents.some((content) => !(JSON_TYPE in content))) return 'bytes'
  const names = new Set(contents.map((content) => nameRef(content[JSON_TYPE], operationId)))
  const models = [...names].map((name) => `models.${name}`)
  const isEmpty = Object.entries(responses).some(([status, { content }]) => /^2/.test(status) && !content)
  return [...models, ...(isEmpty ? ['None'] : [])].join(' | ')
}

function nameBody(content: Static<typeof Content>): string {
  return nameRef(content[JSON_TYPE], 'a request')
}

function nameRef(media: unknown, where: string): string {
  const name = /#\/components\/schemas\/(\w+)"/.exec(JSON.stringify(media ?? ''))?.[1]
  if (name === undefined) throw new Error(`the body of ${where} has no name in the document`)
  return name
}

function printType({ type, enum: values, anyOf }: Static<typeof ParameterSchema>): string {
  const all = values ?? anyOf?.flatMap((part) => part.enum)
  if (all) return `Literal[${all.map((value) => JSON.stringify(value)).join(', ')}]`
  return type === 'integer' ? 'int' : type === 'boolean' ? 'bool' : 'str'
}

function printDocstring({ summary = '', description }: Operation): string[] {
  const text = [summary, ...(description ? ['', ...description.split('\n')] : [])]
    .map((line) => line.replaceAll('\\', '\\\\').replaceAll('"""', "'''"))
    .map((line) => (line === '' ? '' : `        ${line}`))
  const [first = '', ...rest] = text
  const opening = `        """${first.trimStart()}`
  return rest.length === 0 ? [`${opening}"""`] : [opening, ...rest, '        """']
}

/** `PageNumber` is `page_number`, `If-Match` `if_match`; a word of Python gets an underscore. */
function toSnake(name: string): string {
  const snake = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
  return snake === 'from' ? 'from_' : snake
}
