import type { Example } from '../../src/api/reference/reference-examples.ts'
import { PlainValues } from './plain-values.ts'
import { recordAnswers } from './record.ts'

/** Where the examples are, in the project. */
export const EXAMPLES = 'src/api/reference/examples.json'

/**
 * Examples by operation id, from responses of a running service. An example that differs from the one in `known` only
 * by dates is replaced by the known one: the recorded calls contain fixed dates, whose distance from today grows.
 */
export async function listExamples(known: Readonly<Record<string, Example>>): Promise<Record<string, Example>> {
  const values = new PlainValues(new Date())
  const made = [...(await recordAnswers())].flatMap(([operationId, { request, status, type, answer }]): [string, Example][] => {
    const sent = request === undefined ? {} : { request: values.plain(request) }
    const given = type === undefined ? {} : { type, answer: typeof answer === 'string' ? values.lines(answer) : values.plain(answer) }
    const example = { ...sent, status, ...given }
    const old = known[operationId]
    const isKnown = old !== undefined && withoutDates(old) === withoutDates(example)
    return 'request' in sent || 'type' in given ? [[operationId, isKnown ? old : example]] : []
  })
  return Object.fromEntries(made.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function withoutDates(example: Example): string {
  const sorted = { request: example.request, status: example.status, type: example.type, answer: example.answer }
  return JSON.stringify(sorted).replace(/20\d\d-\d\d-\d\d(?:T\d\d:\d\d:\d\d)?/g, (date) => date.replace(/\d/g, '0'))
}

/** A line for each operation. */
export function printExamples(examples: Record<string, Example>): string {
  const lines = Object.entries(examples).map(([operationId, example]) => `${JSON.stringify(operationId)}: ${JSON.stringify(example)}`)
  return `{\n${lines.join(',\n')}\n}\n`
}
