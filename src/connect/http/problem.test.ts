import { describe, expect, it } from 'vitest'
import { InputRefused } from '../../connectors/contract/authorization.ts'
import { SourceError } from '../../connectors/contract/contract.ts'
import { QuotaReached } from '../../store/operators/quotas.ts'
import { Declined } from '../../sync/authorize/authorization-failure.ts'
import { UnknownState } from '../../sync/authorize/authorize.ts'
import { ConsentTakenBack } from '../../sync/authorize/consent.ts'
import { EntityMismatch } from '../../sync/authorize/grant.ts'
import { InstanceSuspended, LinkAlreadyUsed } from '../../sync/links/errors.ts'
import { LinkLimitReached } from '../../sync/links/link.ts'
import { isProblemKind, PROBLEMS, Problem, toProblem } from './problem.ts'

const coded = (code: unknown, more: object = {}) => Object.assign(new Error('no'), { code, ...more })

describe('the problem that an owner is shown', () => {
  it('is the one that was thrown', () => {
    const problem = new Problem('used')
    expect([toProblem(problem) === problem, problem.details, problem.name]).toEqual([true, {}, 'Problem'])
  })

  it.each([
    [new QuotaReached('uploads', 20), 'often'],
    [new QuotaReached('connections', 1), 'quota'],
    [new InstanceSuspended(), 'suspended'],
    [new LinkAlreadyUsed(), 'used'],
    [new LinkLimitReached(), 'full'],
    [new UnknownState(), 'state'],
    [new ConsentTakenBack(), 'declined'],
    [new Declined('access_denied'), 'declined'],
    [new Declined('server_error'), 'silent'],
    [new Declined('temporarily_unavailable'), 'silent'],
    [new Declined('invalid_request'), 'refused'],
    [new Declined('unauthorized_client'), 'refused'],
    [new Declined('unsupported_response_type'), 'refused'],
    [new Declined('invalid_scope'), 'refused'],
    [new SourceError('unavailable', 'away'), 'silent'],
    [new SourceError('rateLimited', 'often'), 'silent'],
    [new SourceError('reconnect', 'no'), 'refused'],
    [new SourceError('badData', 'no'), 'refused'],
  ])('for %o is %s, with its cause', (error, kind) => {
    expect(toProblem(error)).toMatchObject({ kind, cause: error })
  })

  it('has the names of a mismatch and the words of the source', () => {
    expect(toProblem(new EntityMismatch('North', 'South'))).toMatchObject({
      ...{ kind: 'mismatch', details: { names: { before: 'North', now: 'South' } } },
    })
    const text = { en: 'No such books.', 'fr-CA': 'Livres inconnus.' }
    const refused = new InputRefused(text)
    expect(toProblem(refused)).toMatchObject({ kind: 'incomplete', details: { text }, cause: refused })
  })

  it.each(['08006', '53300', '57P01', '57014', '55P03', '40P01', '25006', 'ECONNREFUSED', 'ENOSPC', 'EDQUOT', 'EAI_AGAIN', 'EPIPE'])(
    'is that the service is busy for %s',
    (code) => {
      expect(toProblem(coded(code)).kind).toBe('busy')
    },
  )

  it.each(['Connection terminated unexpectedly', 'timeout exceeded when trying to connect'])('is that it is busy for “%s”', (message) => {
    expect([toProblem(new Error(message)).kind, toProblem(new Error(`no ${message}`)).kind]).toEqual(['busy', 'ours'])
  })

  it.each(['23505', '570140', '55P031', '40P010', '250060', '57013', '125006', 'x08006', 'ENOSPCX', 'XENOSPC', '', 53_300, undefined])(
    'is ours for the code %j',
    (code) => {
      expect(toProblem(coded(code)).kind).toBe('ours')
    },
  )

  it.each([
    [400, 'unreadable'],
    [413, 'unreadable'],
    [499, 'unreadable'],
    [399, 'ours'],
    [500, 'ours'],
    ['413', 'ours'],
  ])('for an error of the framework with the status %j is %s', (status, kind) => {
    const both = [Object.assign(new Error('no'), { statusCode: status }), Object.assign(new Error('no'), { status })]
    expect(both.map((error) => toProblem(error).kind)).toEqual([kind, kind])
  })

  it('is ours for anything else', () => {
    expect(['text', null, undefined, new Error('no')].map((error) => toProblem(error).kind)).toEqual(['ours', 'ours', 'ours', 'ours'])
  })
})

describe('the word of a problem', () => {
  it('is one of the list', () => {
    expect(Object.keys(PROBLEMS).every(isProblemKind)).toBe(true)
    expect(['nothing', '', undefined, 'toString', 'constructor'].map(isProblemKind)).toEqual([false, false, false, false, false])
  })
})
