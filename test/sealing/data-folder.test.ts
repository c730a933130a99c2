import { chmod, mkdir, realpath, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeDataFolder } from '../../src/store/keys/data-folder.ts'
import { folderForTests } from '../harness/for-tests.ts'

const folder = folderForTests()
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

it('a new data directory can be listed by nobody else, and passed through if root makes it, for PostgreSQL', async () => {
  const path = join(folder.path, 'deep', 'data')
  expect(await makeDataFolder(path)).toBe(await realpath(path))
  expect(await modeOf(path)).toBe(process.getuid?.() === 0 ? '711' : '700')
})

it('one that is there keeps its mode, and is known by its real path', async () => {
  const path = join(folder.path, 'there')
  await mkdir(path)
  await chmod(path, 0o750)
  await symlink(path, join(folder.path, 'link'))
  expect(await makeDataFolder(join(folder.path, 'link'))).toBe(await realpath(path))
  expect(await modeOf(path)).toBe('750')
})

it('one that cannot be made is an error that names the setting and the reason', async () => {
  await writeFile(join(folder.path, 'file'), '')
  await expect(makeDataFolder(join(folder.path, 'file', 'data'))).rejects.toThrow(
    /^DATA_DIR: .*\/file\/data cannot be made by this user \(ENOTDIR\)/,
  )
})
