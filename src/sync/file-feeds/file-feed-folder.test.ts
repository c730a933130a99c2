import { mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { folderForTests } from '../../../test/harness/for-tests.ts'
import { FOLDER_PATH, openFolder } from './file-feed-folder.ts'
import { type Inbox, InboxUnreachable } from './file-feed-inbox.ts'

const folder = folderForTests()
let instanceId: string
let own: string
let inbox: Inbox
let count = 0
beforeEach(async () => {
  count += 1
  instanceId = `instance-${count}`
  own = join(folder.path, instanceId, 'bank', 'in')
  inbox = await openFolder(folder.path, instanceId, 'bank/in')
})
const put = async (name: string, text = 'text') => {
  await writeFile(join(own, name), text)
  await utimes(join(own, name), 1_000, 1_000.5)
}
const at = (...path: string[]) => readFile(join(own, ...path), 'utf8')

describe('a folder of an instance', () => {
  it('is made, and lists its files and folders, without those for finished files', async () => {
    for (const name of ['archive', 'quarantine', 'company']) await mkdir(join(own, name))
    await put('a.ofx')
    await put('company/b.ofx', 'more text')
    await symlink(join(own, 'a.ofx'), join(own, 'link.ofx'))
    expect(await inbox.listFolders()).toEqual(['company'])
    expect(await inbox.list('')).toEqual([{ name: 'a.ofx', size: 4, modifiedMs: 1_000_500 }])
    expect(await inbox.list('company')).toEqual([{ name: 'b.ofx', size: 9, modifiedMs: 1_000_500 }])
    expect([await inbox.list('missing'), await inbox.look('', 'missing'), await inbox.look('', 'company')]).toEqual([[], null, null])
    expect(await inbox.look('company', 'b.ofx')).toEqual({ name: 'b.ofx', size: 9, modifiedMs: 1_000_500 })
  })

  it('that cannot be read is an error, not an empty one', async () => {
    const refusal = new InboxUnreachable('the folder cannot be used (ENAMETOOLONG)')
    await expect(inbox.list('x'.repeat(256))).rejects.toThrow(refusal)
    await expect(inbox.look('', 'x'.repeat(256))).rejects.toThrow(refusal)
  })

  it.each([
    [3, null],
    [4, 'text'],
    [5, 'text'],
  ])('reads a file of four bytes where %i are allowed: %s', async (mostBytes, expected) => {
    await put('a.ofx')
    const read = await inbox.read('', 'a.ofx', mostBytes)
    expect(read && Buffer.from(read).toString()).toBe(expected)
  })

  it('reads no file that is gone, and none by a symbolic link', async () => {
    await put('a.ofx')
    await symlink(join(own, 'a.ofx'), join(own, 'link.ofx'))
    expect([await inbox.read('', 'missing', 9), await inbox.read('', 'link.ofx', 9)]).toEqual([null, null])
  })

  it('moves a file under a free name, and loses none that is there', async () => {
    for (const text of ['first', 'second', 'third']) {
      await put('a.ofx', text)
      await inbox.move('', 'a.ofx', 'archive')
    }
    expect((await readdir(join(own, 'archive'))).sort()).toEqual(['a-2.ofx', 'a-3.ofx', 'a.ofx'])
    expect([await at('archive', 'a.ofx'), await at('archive', 'a-2.ofx'), await at('archive', 'a-3.ofx')]).toEqual([
      ...['first', 'second', 'third'],
    ])
    expect(await inbox.list('')).toEqual([])
    await inbox.move('', 'a.ofx', 'archive')
    expect((await readdir(join(own, 'archive'))).length).toBe(3)
  })

  it('writes a text beside files, in place of an earlier one', async () => {
    await inbox.write('', 'quarantine', 'a.txt', 'first')
    await inbox.write('', 'quarantine', 'a.txt', 'second')
    expect([await at('quarantine', 'a.txt'), await readdir(join(own, 'quarantine'))]).toEqual(['second', ['a.txt']])
  })
})

describe('a folder that cannot be used', () => {
  it('is one that leads out of the folder of its instance', async () => {
    await mkdir(join(folder.path, 'other', 'secret'), { recursive: true })
    await symlink(join(folder.path, 'other', 'secret'), join(folder.path, instanceId, 'out'))
    await symlink(join(folder.path, `${instanceId}`), join(folder.path, instanceId, 'self'))
    await mkdir(join(folder.path, `${instanceId}-more`))
    await symlink(join(folder.path, `${instanceId}-more`), join(folder.path, instanceId, 'beside'))
    for (const path of ['out', 'beside'])
      await expect(openFolder(folder.path, instanceId, path)).rejects.toThrow('the folder lies outside of the feeds’ folder')
    expect(await (await openFolder(folder.path, instanceId, 'self')).listFolders()).toEqual(['bank'])
  })

  it('is named by the code of its error, without a path', async () => {
    await writeFile(join(folder.path, 'file'), '')
    const error = await openFolder(join(folder.path, 'file'), instanceId, 'in').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(InboxUnreachable)
    expect(String(error)).toBe('InboxUnreachable: the folder cannot be used (ENOTDIR)')
  })

  it.each([
    ['in', true],
    ['bank/in 2.x-y_z', true],
    ['', false],
    ['/in', false],
    ['in/', false],
    ['..', false],
    ['a/../b', false],
    ['.hidden', false],
    ['a//b', false],
  ])('has no such name: %j, valid: %s', (path, isValid) => {
    expect(new RegExp(FOLDER_PATH).test(path)).toBe(isValid)
  })
})
