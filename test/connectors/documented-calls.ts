import { expect, test } from 'vitest'
import type { CheckedRequest, ProviderDocument } from './mx/provider-document.ts'

/** A call as a simulator recorded it, with its answer. */
interface RecordedCall {
  method: string
  path: string
  query: URLSearchParams
  headers: Readonly<Record<string, unknown>>
  body: string
  status: number
  answer: unknown
}

interface Checks {
  operations: readonly string[]
  /** Those of them whose answers the document leaves out. */
  withoutAnswer?: readonly string[]
  invalid: InvalidCall
}

/** A valid call of an operation, from which the tests make an invalid one. */
interface InvalidCall {
  operation: string
  /** Required header, which is left out. */
  header: string
  answers: readonly object[]
}

/**
 * Tests that the calls of a connector and the answers of its simulator match the provider's own document, and that
 * each of the operations was called. `calls` returns those that succeeded.
 */
export function testDocumentedCalls(
  document: ProviderDocument,
  calls: () => readonly RecordedCall[],
  { operations, withoutAnswer = [], invalid: { operation, header, answers } }: Checks,
): void {
  const of = (name: string) => calls().filter((call) => document.operationOf(toRequest(call)) === name)

  test.each(operations)('%s: was called, and every request matches the document', (name) => {
    expect(of(name).length).toBeGreaterThan(0)
    expect(of(name).flatMap((call) => document.requestProblem(toRequest(call)) ?? [])).toEqual([])
  })

  const answered = operations.filter((name) => !withoutAnswer.includes(name))
  test.each(answered)('%s: every answer matches the document, without undocumented properties', (name) => {
    const problems = of(name).map((call) => document.responseProblem(toRequest(call), call.status, call.answer))
    expect(problems.filter((problem) => problem !== null)).toEqual([])
  })

  test('no other address was called', () => {
    const others = calls().filter((call) => document.operationOf(toRequest(call)) === null)
    expect(others.map(({ path }) => path)).toEqual([])
  })

  test('the document rejects an invalid request and answer, so these tests can fail', () => {
    const [call] = of(operation)
    if (!call) throw new Error('no call')
    const { [header]: _left, ...headers } = toRequest(call).headers
    expect(document.requestProblem({ ...toRequest(call), headers })).not.toBeNull()
    for (const answer of answers) expect(document.responseProblem(toRequest(call), 200, answer)).not.toBeNull()
    expect(document.responseProblem(toRequest(call), 418, {})).not.toBeNull()
  })
}

function toRequest({ method, path, query, headers, body }: RecordedCall): CheckedRequest {
  const isForm = String(headers['content-type'] ?? '').includes('form-urlencoded')
  return {
    method: method.toLowerCase(),
    path,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    query: Object.fromEntries(query),
    body: body === '' ? undefined : isForm ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body),
  }
}
