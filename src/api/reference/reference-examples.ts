import { readFile } from 'node:fs/promises'
import { type Static, Type } from 'typebox'
import { Parse } from 'typebox/value'
import type { Served } from './reference-split.ts'

const Example = Type.Object({
  request: Type.Optional(Type.Unknown()),
  status: Type.Number(),
  type: Type.Optional(Type.String({ description: 'Media type of the answer' })),
  answer: Type.Optional(Type.Unknown()),
})

/** Call of an operation and its response, recorded by `npm run docs`. */
export type Example = Static<typeof Example>

/** Examples by operation id. */
export async function readExamples(): Promise<Record<string, Example>> {
  const text = await readFile(new URL('examples.json', import.meta.url), 'utf8')
  return Parse(Type.Record(Type.String(), Example), JSON.parse(text))
}

/** Examples that several operations share become a component, if that is shorter. */
const SHARED_FROM_CHARS = 100

/** Document with the recorded examples. */
export function addRecordedExamples(document: Served, examples: Readonly<Record<string, Example>>): Served {
  const shared = new Map<string, string>()
  const counts = Map.groupBy(
    Object.values(examples).flatMap(({ request, answer }) => [request, answer].filter((part) => part !== undefined)),
    (part) => JSON.stringify(part),
  )
  const show = (name: string, value: unknown) => {
    const text = JSON.stringify(value)
    if (text.length < SHARED_FROM_CHARS || (counts.get(text)?.length ?? 0) < 2) return { example: value }
    const known = shared.get(text) ?? name
    shared.set(text, known)
    return { examples: { recorded: { $ref: `#/components/examples/${known}` } } }
  }
  const paths = mapValues(document.paths, (item) => mapValues(item, (operation) => withExample(operation, examples, show)))
  const components = [...shared].map(([text, name]) => [name, { value: JSON.parse(text) }])
  return { ...document, paths, components: { ...document.components, examples: Object.fromEntries(components) } }
}

type Operation = Served['paths'][string][string]

function withExample(
  operation: Operation,
  examples: Readonly<Record<string, Example>>,
  show: (name: string, value: unknown) => object,
): Operation {
  const { operationId = '', requestBody, responses = {} } = operation
  const example = examples[operationId]
  if (!example) return operation
  const { request, status, type, answer } = example
  const body =
    requestBody && request !== undefined
      ? {
          requestBody: {
            ...requestBody,
            content: mapValues(requestBody.content, (media) => ({ ...withoutExamples(media), ...show(`${operationId}Request`, request) })),
          },
        }
      : {}
  const said = responses[String(status)]
  const media = type === undefined ? undefined : said?.content?.[type]
  if (!said || !media || type === undefined) return { ...operation, ...body }
  const content = { ...said.content, [type]: { ...withoutExamples(media), ...show(operationId, answer) } }
  return { ...operation, ...body, responses: { ...responses, [String(status)]: { ...said, content } } }
}

/** Examples of the schema would be a second example of the media type. */
function withoutExamples(media: object): object {
  return Object.fromEntries(Object.entries(media).filter(([key]) => key !== 'example' && key !== 'examples'))
}

function mapValues<Value, Result>(record: Readonly<Record<string, Value>>, change: (value: Value) => Result): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}
