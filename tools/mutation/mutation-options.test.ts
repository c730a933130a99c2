import { describe, expect, it } from 'vitest'
import { readMutationOptions } from './mutation-options.ts'
import { MOST, MOST_OF_MODULE, nearestTests } from './nearest-tests.ts'

const FILE = 'src/store/operators/quotas.ts'

describe('the number of test files that judge a file', () => {
  it.each([
    ['of a module', ['store'], MOST_OF_MODULE],
    ['of what has changed', ['--changed'], MOST],
    ['of what differs from a commit', ['--base', 'HEAD'], MOST],
    ['that --nearest names', ['store', '--nearest', '2'], 2],
    ['that --nearest names for what has changed', ['--changed', '--nearest', '7'], 7],
  ])('is one %s', (_, args, wanted) => {
    const { nearest } = readMutationOptions(args)
    expect(nearest).toBe(wanted)
    expect(nearestTests([FILE], nearest, new Map())[FILE]).toHaveLength(wanted)
  })

  it.each(['-1', 'two', ''])('is no %j', (text) => {
    expect(() => readMutationOptions(['store', `--nearest=${text}`])).toThrow('--nearest takes a number')
  })
})

it('a module stands for its folder, and all of them for none', () => {
  expect(readMutationOptions(['access', 'src/model/events.ts']).places).toEqual(['src/api/access', 'src/model/events.ts'])
  expect(readMutationOptions([]).places).toEqual(expect.arrayContaining(['src/model', 'src/egress', 'src/sync', 'src/connect']))
})
