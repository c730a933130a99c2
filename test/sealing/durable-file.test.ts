import { type FileHandle, open, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createDurably, syncFolder, writeDurably } from '../../src/store/keys/durable-file.ts'
import { folderForTests } from '../harness/for-tests.ts'

const folder = folderForTests()

/** What is flushed to disk while the test runs: `file` or `folder`. */
async function watchFlushes(): Promise<string[]> {
  const handle = await open(folder.path, 'r')
  const prototype: FileHandle = Object.getPrototypeOf(handle)
  await handle.close()
  const flushed: string[] = []
  const { sync } = prototype
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    flushed.push((await this.stat()).isDirectory() ? 'folder' : 'file')
    await sync.call(this)
  })
  onTestFinished(() => spy.mockRestore())
  return flushed
}

describe('a durable file', () => {
  it('is flushed before its name is, replaces the one before, and is readable by its owner only', async () => {
    const path = join(folder.path, 'written')
    const flushed = await watchFlushes()
    await writeDurably(path, 'one')
    await writeDurably(path, Buffer.from('two'))
    expect([await readFile(path, 'utf8'), (await stat(path)).mode & 0o777]).toEqual(['two', 0o600])
    expect(flushed).toEqual(['file', 'folder', 'file', 'folder'])
    expect((await readdir(folder.path)).filter((name) => name.startsWith('written'))).toEqual(['written'])
  })

  it('that has to be new is flushed too, and refused in the place of another, without a draft that stays', async () => {
    const path = join(folder.path, 'created')
    const flushed = await watchFlushes()
    await createDurably(path, 'one')
    await expect(createDurably(path, 'two')).rejects.toMatchObject({ code: 'EEXIST' })
    expect([await readFile(path, 'utf8'), (await stat(path)).mode & 0o777]).toEqual(['one', 0o600])
    expect(flushed).toEqual(['file', 'folder', 'file'])
    expect((await readdir(folder.path)).filter((name) => name.startsWith('created'))).toEqual(['created'])
  })

  it('in a folder that is gone is an error', async () => {
    await expect(writeDurably(join(folder.path, 'gone', 'file'), '')).rejects.toThrow('ENOENT')
    await expect(syncFolder(join(folder.path, 'gone'))).rejects.toThrow('ENOENT')
  })

  it('leaves no handle open, whether it was written or not', async () => {
    const handles = async () => (await readdir('/proc/self/fd')).length
    await writeFile(join(folder.path, 'taken'), '')
    const before = await handles()
    for (let count = 0; count < 20; count += 1) {
      await writeDurably(join(folder.path, 'again'), 'content')
      await createDurably(join(folder.path, 'taken'), 'content').catch(() => undefined)
    }
    expect(await handles()).toBeLessThan(before + 10)
  })
})
