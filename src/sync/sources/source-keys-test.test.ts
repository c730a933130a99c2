import { describe, expect, it } from 'vitest'
import { ScriptedSource } from '../../../test/sync/scripted-source.ts'
import { type Connector, SourceError } from '../../connectors/contract/contract.ts'
import { createSources, type Source } from '../../connectors/sources.ts'
import { testKeys, toReason, withoutOperator } from './source-keys-test.ts'

/** A source with an app, whose keys are checked by `checkApp`. */
function sourceWith(checkApp?: Connector['checkApp']): Source {
  const { connector, description } = new ScriptedSource('books')
  const load = async () => ({ ...connector, ...(checkApp ? { checkApp } : {}) })
  const [source] = createSources([{ ...description, appKeys: ['clientId', 'clientSecret', 'empty'], load }], {
    settings: { books: { app: { clientId: 'public-id', clientSecret: 's3cret', empty: '' } } },
    simulators: {},
    createKit: (app, hosts) => ({ http: () => Promise.reject(new Error('this source does no HTTP')), app, hosts, now: () => new Date(0) }),
  }).values()
  if (!source) throw new Error('no source')
  return source
}
const failing = (error: Error) =>
  sourceWith(async () => {
    throw error
  })

describe('keys that are tested at their source', () => {
  it('are accepted', async () => {
    let app: object | null = null
    const source = sourceWith(async (kit) => {
      app = kit.app
    })
    expect(await testKeys(source)).toEqual({ test: 'accepted', reason: '' })
    expect(app).toEqual(source.kit.app)
  })

  it('are refused with the reason, which contains none of them', async () => {
    const error = new SourceError('unavailable', "the operator's s3cret of public-id is not s3cret", { isClientRefused: true })
    expect(await testKeys(failing(error))).toEqual({ test: 'refused', reason: 'the [secret] of public-id is not [secret]' })
  })

  it('are untested where the source does not answer, or can say nothing', async () => {
    expect(await testKeys(failing(new SourceError('unavailable', 'HTTP 503')))).toEqual({ test: 'untested', reason: 'HTTP 503' })
    expect(await testKeys(sourceWith())).toEqual({
      test: 'untested',
      reason: 'Scripted Books says only to an owner whether keys are good',
    })
  })

  it('are neither where the fault is ours', async () => {
    await expect(testKeys(failing(new Error('a fault of ours')))).rejects.toThrow('a fault of ours')
  })
})

it('a reason keeps its words, without what concerns the operator only', () => {
  expect(toReason(sourceWith(), 'not found')).toBe('not found')
  expect(withoutOperator("the operator's keys and the operator’s app")).toBe('the keys and the app')
})
