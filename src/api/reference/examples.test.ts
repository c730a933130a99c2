import { beforeAll, describe, expect, it } from 'vitest'
import { openForTests } from '../../../test/harness/for-tests.ts'
import { schemaValidator } from '../../../test/harness/test-answers.ts'
import { testApi } from '../../../test/harness/test-api.ts'
import { listExamples } from '../../../tools/examples/examples.ts'
import { readExamples } from './reference-examples.ts'

interface Media {
  schema?: object
  example?: unknown
  examples?: Record<string, { $ref: string }>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { examples?: Record<string, { value: unknown }> }
}

interface Operation {
  operationId: string
  description?: string
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

/** They call a server on the network, answer what is no text, or are sent without a body. */
const WITHOUT = ['readFileFeedHostKeys', 'exportInstance', 'logout']

describe.each(['/admin/api/openapi.json', '/admin/api/administration.json', '/operator/api/openapi.json'])('the examples of %s', (url) => {
  const api = openForTests(testApi)
  let document: Document
  let operations: Operation[]
  beforeAll(async () => {
    document = (await api.app.inject({ url })).json<Document>()
    operations = Object.values(document.paths).flatMap((item) => Object.values(item))
  })

  it('are there for every answer and every body that is sent', () => {
    const missing = operations.filter(({ operationId, requestBody, responses }) => {
      const answers = Object.entries(responses).flatMap(([status, { content }]) =>
        /^2/.test(status) && content ? [Object.values(content)] : [],
      )
      const isShown = (all: Media[]) => all.some((media) => 'example' in media || 'examples' in media)
      const isSent = !requestBody?.required || isShown(Object.values(requestBody.content))
      return !WITHOUT.includes(operationId) && ((answers.length > 0 && !answers.some(isShown)) || !isSent)
    })
    expect(missing.map(({ operationId }) => operationId)).toEqual([])
  })

  it('stand beside a description, which says when there is each error but those that any operation gives', () => {
    const untold = operations.flatMap(({ operationId, description = '', responses }) => {
      const [text = ''] = description.split('Roles: ')
      const statuses = Object.keys(responses).filter((status) => /^4/.test(status) && !['400', '404'].includes(status))
      const missing = statuses.filter((status) => !text.includes(status))
      return text.trim().length < 15 || missing.length > 0 ? [`${operationId} ${missing}`] : []
    })
    expect(untold).toEqual([])
  })

  it('are valid by the schemas that they stand beside', () => {
    const ajv = schemaValidator()
    let count = 0
    const faults = operations.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)]
        .flatMap((body) => Object.values(body?.content ?? {}))
        .flatMap((media) => {
          const value = exampleOf(media)
          if (value === undefined || !media.schema) return []
          count += 1
          const validate = ajv.compile({ ...media.schema, components: document.components })
          return validate(value) ? [] : [`${operationId}: ${ajv.errorsText(validate.errors)}`]
        }),
    )
    expect(faults).toEqual([])
    expect(count).toBeGreaterThan(operations.length / 2)
  })

  function exampleOf({ example, examples }: Media): unknown {
    const [name] = Object.values(examples ?? {}).map(({ $ref }) => $ref.split('/').at(-1) ?? '')
    return name === undefined ? example : document.components.examples?.[name]?.value
  }
})

it('are what the service answers now; if not, npm run docs', async () => {
  const known = await readExamples()
  expect(await listExamples(known)).toEqual(known)
}, 120_000)
