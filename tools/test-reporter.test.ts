import { describe, expect, it } from 'vitest'
import { listFailedFiles } from './test-reporter.ts'

const modules = [
  { moduleId: '/tests/one.test.ts', ok: () => true },
  { moduleId: '/tests/two.test.ts', ok: () => false },
  { moduleId: '/tests/three.test.ts', ok: () => true },
]
const thrownIn = (file: string) => Object.assign(new Error('thrown outside a test'), { VITEST_TEST_PATH: file })

describe('the files of a run that failed', () => {
  it('are those with a failed test, and those in which an error was caught outside a test', () => {
    expect(listFailedFiles(modules, [])).toEqual(['/tests/two.test.ts'])
    expect(listFailedFiles(modules, [thrownIn('/tests/three.test.ts'), thrownIn('/tests/two.test.ts')])).toEqual([
      '/tests/two.test.ts',
      '/tests/three.test.ts',
    ])
  })

  it.each([new Error('in no file'), null, 'text', { VITEST_TEST_PATH: 7 }])('are unknown with an error of no file: %s', (error) => {
    expect(listFailedFiles(modules, [error])).toBeNull()
  })
})
