import { expect, it } from 'vitest'
import {
  ApiError,
  badField,
  badRequest,
  conflict,
  forbidden,
  instanceSuspended,
  insufficientRole,
  insufficientScope,
  invalidToken,
  notForKeys,
  notFound,
  orNotFound,
  proofRequired,
  providerRequired,
  serviceNotEnabled,
  tooManyRequests,
  twoStepRequired,
  unauthorized,
  unavailable,
} from './errors.ts'
import { toProblem } from './problem.ts'

const REALM = 'Bearer realm="api"'
const challenge = (more: string) => ({ 'www-authenticate': `${REALM}${more}` })
const INVALID = 'The access token or API key is not valid, has run out or was ended.'

it.each<[ApiError, object]>([
  [new ApiError(418, 'Tea.'), { status: 418, message: 'Tea.' }],
  [badRequest('No.'), { status: 400, message: 'No.' }],
  [badRequest('No.', [{ field: 'a', message: 'b' }]), { status: 400, message: 'No.', fields: [{ field: 'a', message: 'b' }] }],
  [badField('a.b', 'is odd'), { status: 400, message: 'The request has invalid values.', fields: [{ field: 'a.b', message: 'is odd' }] }],
  [unauthorized(), { status: 401, message: 'A valid access token is needed.', headers: challenge('') }],
  [unauthorized('Go.'), { status: 401, message: 'Go.', headers: challenge('') }],
  [invalidToken(), { status: 401, message: INVALID, headers: challenge(`, error="invalid_token", error_description="${INVALID}"`) }],
  [
    insufficientRole(),
    {
      ...{ status: 403, message: 'Your role may not do this.' },
      headers: challenge(', error="insufficient_scope", error_description="The role of the token may not do this."'),
    },
  ],
  [
    insufficientScope('data:read'),
    {
      ...{ status: 403, message: 'The API key lacks the scope data:read.' },
      headers: challenge(', error="insufficient_scope", scope="data:read"'),
    },
  ],
  [notForKeys(), { status: 403, message: 'API keys may not do this: sign in as a user.' }],
  [
    proofRequired(900),
    {
      ...{ status: 403, message: 'Prove again who you are, then repeat the request.', reason: 'proof-required' },
      headers: challenge(', error="insufficient_user_authentication", max_age="900"'),
    },
  ],
  [twoStepRequired(), { status: 403, message: 'This instance requires two-step login: set it up first.', reason: 'two-step-required' }],
  [forbidden(), { status: 403, message: 'Your role may not do this.' }],
  [forbidden('Not you.'), { status: 403, message: 'Not you.' }],
  [instanceSuspended(), { status: 403, message: 'The instance is suspended. Its data is kept; ask whoever runs this deployment.' }],
  [providerRequired(), { status: 403, message: 'Members of this instance sign in with its identity provider: passwords do not work.' }],
  [notFound('company'), { status: 404, message: 'No such company.' }],
  [conflict('Twice.'), { status: 409, message: 'Twice.' }],
  [serviceNotEnabled('noKeys'), { status: 409, message: 'This service is not enabled here: its keys are not set.' }],
  [
    serviceNotEnabled('hidden'),
    { status: 409, message: 'This service is not enabled here: it is hidden in the settings of the instance.' },
  ],
  [tooManyRequests(1.2), { status: 429, message: 'Too many requests.', headers: { 'retry-after': '2' } }],
  [tooManyRequests(0, 'Slowly.'), { status: 429, message: 'Slowly.', headers: { 'retry-after': '1' } }],
  [tooManyRequests(-5), { status: 429, message: 'Too many requests.', headers: { 'retry-after': '1' } }],
  [unavailable(), { status: 503, message: 'The service cannot answer now.', headers: { 'retry-after': '5' } }],
  [unavailable(30, undefined, 'Later.'), { status: 503, message: 'Later.', headers: { 'retry-after': '30' } }],
])('%s is told as it is', (error, told) => {
  const { status, message, headers, fields, reason, name, cause } = error
  expect({ status, message, headers, fields, reason, name, cause }).toEqual({
    ...{ headers: {}, fields: [], reason: null, name: 'ApiError', cause: undefined },
    ...told,
  })
})

it('what led to an error is kept for the log', () => {
  const cause = new Error('first')
  expect([new ApiError(500, 'x', { cause }).cause, unavailable(5, cause).cause]).toEqual([cause, cause])
  expect('cause' in new ApiError(500, 'x')).toBe(false)
})

it('what is there is found, also what is empty; null and undefined are not', () => {
  expect([orNotFound(0, 'x'), orNotFound('', 'x'), orNotFound(false, 'x')]).toEqual([0, '', false])
  for (const nothing of [null, undefined]) expect(() => orNotFound(nothing, 'company')).toThrow('No such company.')
})

it.each<[ApiError, object]>([
  [notFound('company'), { title: 'Not Found', status: 404, detail: 'No such company.', Code: 404, Message: 'No such company.' }],
  [new ApiError(499, 'Odd.'), { title: 'Error', status: 499, detail: 'Odd.', Code: 499, Message: 'Odd.' }],
  [
    twoStepRequired(),
    {
      ...{ title: 'Forbidden', status: 403, Code: 403, reason: 'two-step-required' },
      ...{ detail: 'This instance requires two-step login: set it up first.' },
      ...{ Message: 'This instance requires two-step login: set it up first.' },
    },
  ],
  [
    badRequest('No.', [{ field: 'a', message: 'b' }]),
    { title: 'Bad Request', status: 400, detail: 'No.', Code: 400, Message: 'No.', errors: [{ field: 'a', message: 'b' }] },
  ],
])('the problem details of %s have the members that it has', (error, members) => {
  expect(toProblem(error, 'the-request')).toEqual({ type: 'about:blank', requestId: 'the-request', ...members })
})
