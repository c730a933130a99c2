import type { Example } from '../../src/api/reference/reference-examples.ts'
import { PlainValues } from './plain-values.ts'
import { recordAnswers } from './record.ts'

/** Where the examples are, in the project. */
export const EXAMPLES = 'src/api/reference/examples.json'

/** Examples of the API's operations by operation id, of answers of a running service; the same in every recording. */
export async function listExamples(): Promise<Record<string, Example>> {
  const values = new PlainValues(new Date())
  const made = [...(await recordAnswers())].flatMap(([operationId, { request, status, type, answer }]): [string, Example][] => {
    const sent = request === undefined ? {} : { request: values.plain(request) }
    const given = type === undefined ? {} : { type, answer: typeof answer === 'string' ? values.lines(answer) : values.plain(answer) }
    return 'request' in sent || 'type' in given ? [[operationId, { ...sent, status, ...given }]] : []
  })
  return Object.fromEntries(made.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** A line for each operation. */
export function printExamples(examples: Record<string, Example>): string {
  const lines = Object.entries(examples).map(([operationId, example]) => `${JSON.stringify(operationId)}: ${JSON.stringify(example)}`)
  return `{\n${lines.join(',\n')}\n}\n`
}
