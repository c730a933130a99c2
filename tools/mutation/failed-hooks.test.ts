import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createVitest } from 'vitest/node'
import { FailedHooks } from './failed-hooks.ts'

const TESTS = `
  import { beforeAll, describe, it } from 'vitest'
  describe('a group', () => {
    HOOK
    it('in the group', () => undefined)
  })
  it('beside it', () => undefined)
`

it.each([
  ['of a file', `${TESTS.replace('HOOK', '')} beforeAll(() => { throw new Error('no harness') })`, ['fail', 'fail']],
  ['of a group', TESTS.replace('HOOK', `beforeAll(() => { throw new Error('no harness') })`), ['fail', 'pass']],
])('the tests after a failed hook %s fail, and no others', async (_, text, states) => {
  const root = await mkdtemp(join(tmpdir(), 'failed-hooks-'))
  onTestFinished(() => rm(root, { recursive: true }))
  await writeFile(join(root, 'one.test.ts'), text.replace("'vitest'", JSON.stringify(import.meta.resolve('vitest'))))
  const run = await createVitest('test', { root, config: false, watch: false, maxWorkers: 1, reporters: [new FailedHooks()] })
  onTestFinished(() => run.close())
  await run.start()
  const [file] = run.state.getFiles()
  const tests = file?.tasks.flatMap((task) => (task.type === 'suite' ? task.tasks : task)) ?? []
  expect(tests.map(({ result }) => result?.state)).toEqual(states)
})
