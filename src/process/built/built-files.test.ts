import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folderForTests } from '../../../test/harness/for-tests.ts'
import { buildOf } from './built-files.ts'

const folder = folderForTests()
const log = { info: () => undefined, error: (fields: object) => expect(fields).toBeNull() }

it('the sources of a build are read when it is first asked for, so that no start waits for it, and once', async () => {
  let reads = 0
  const { open } = buildOf({ name: 'it', builder: join(folder.path, 'none.ts'), command: 'npm run build' }, () => {
    reads += 1
    return folder.path
  })
  const files = open(log)
  expect(reads).toBe(0)
  expect([files.folder(), files.folder()]).toEqual([folder.path, folder.path])
  await files.close()
  expect(reads).toBe(1)
})

it('a build that nobody asked for is closed without being begun', async () => {
  const { open } = buildOf({ name: 'it', builder: join(folder.path, 'none.ts'), command: 'npm run build' }, () => {
    throw new Error('it was begun')
  })
  await expect(open(log).close()).resolves.toBeUndefined()
})
