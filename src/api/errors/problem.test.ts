import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { ListTooLarge, MOST_LOOKED_AT } from '../../store/db/list-selection.ts'
import { QuotaReached } from '../../store/operators/quotas.ts'
import { handleError } from './problem.ts'

/** Status, text, seconds to wait, and faults of fields, as answered to a request that meets an error. */
async function answerTo(error: unknown) {
  const app = Fastify()
  app.setErrorHandler(handleError)
  app.get('/', () => {
    throw error
  })
  const answer = await app.inject('/')
  await app.close()
  const { detail, errors } = answer.json()
  return { status: answer.statusCode, detail, retryAfter: answer.headers['retry-after'] ?? null, errors }
}
const coded = (code: string, message = 'by the database') => Object.assign(new Error(message), { code })
const OURS = { status: 500, detail: 'Something went wrong.', retryAfter: null }
const AWAY = { status: 503, detail: 'The database cannot answer now.', retryAfter: '5' }

it.each([
  ['08006', AWAY],
  ['53300', AWAY],
  ['57P01', AWAY],
  ['57014', AWAY],
  ['55P03', AWAY],
  ['40P01', AWAY],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'].map(
    (code) => [code, AWAY] as const,
  ),
  ['23505', OURS],
  ['X0800', OURS],
  ['570140', OURS],
  ['55P030', OURS],
  ['40P010', OURS],
  ['ECONNRESETS', OURS],
  ['XECONNRESET', OURS],
] as const)('the code %s is answered as what it means', async (code, expected) => {
  expect(await answerTo(coded(code))).toMatchObject(expected)
})

it.each([
  ['53100', 'The disk of the database is full: nothing was changed. Writes work again when there is space.'],
  ['25006', 'The database is read-only: nothing was changed.'],
  ['ENOSPC', 'The disk of this server is full: nothing was changed. Writes work again when there is space.'],
])('the code %s says what an operator has to mend', async (code, detail) => {
  expect(await answerTo(coded(code))).toMatchObject({ status: 503, detail, retryAfter: '30' })
})

it.each(['Connection terminated unexpectedly', 'timeout exceeded when trying to connect', 'Query read timeout'])(
  'the driver’s “%s” means that the database is away, at the beginning of its message only',
  async (message) => {
    expect(await answerTo(new Error(message))).toMatchObject(AWAY)
    expect(await answerTo(new Error(`ours: ${message}`))).toMatchObject(OURS)
  },
)

it.each([['a text'], [{ code: '40P01' }], [Object.assign(new Error('odd'), { code: 40 })]])(
  '%o that is thrown is our fault',
  async (thrown) => {
    expect(await answerTo(thrown)).toMatchObject(OURS)
  },
)

it('a list that is too large names the parameter, and the range that makes it smaller', async () => {
  expect(await answerTo(new ListTooLarge('FilterQuery', 'createdOn'))).toMatchObject({
    status: 400,
    errors: [
      { field: 'FilterQuery', message: `would have to look at more than ${MOST_LOOKED_AT} rows: filter by a range of createdOn, too` },
    ],
  })
})

it('a quota that is reached says so, and is no fault', async () => {
  const reached = new QuotaReached('companies', 3)
  expect(await answerTo(reached)).toMatchObject({ status: 409, detail: reached.message })
})

it.each([
  [400, { status: 400, detail: 'The request cannot be read.' }],
  [413, { status: 413, detail: 'The body is too large.' }],
  [414, { status: 414, detail: 'The address is too long.' }],
  [415, { status: 415, detail: 'The body must be application/json.' }],
  [503, { status: 503, retryAfter: '5' }],
  [418, OURS],
  [undefined, OURS],
])('an error of the framework with the status %s is answered in our words', async (statusCode, expected) => {
  expect(await answerTo(Object.assign(coded('FST_ERR_X', 'theirs'), { statusCode }))).toMatchObject(expected)
})
