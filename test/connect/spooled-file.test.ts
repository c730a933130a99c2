import { randomBytes } from 'node:crypto'
import { readdir, readlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { SpooledFile } from '../../src/connect/uploads/spooled-file.ts'

const named = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('countinghouse-upload-'))

/** Number of temporary files that this process has open, whose names are gone. */
async function countOpen(): Promise<number> {
  const open = await Promise.all((await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
  return open.filter((path) => path.includes('countinghouse-upload-')).length
}

describe('an uploaded file', () => {
  it.each([0, 1, 262_144, 262_145, 3_000_001])('of %d bytes is returned unchanged, and more than once', async (size) => {
    const bytes = randomBytes(size)
    const file = new SpooledFile('a.ofx')
    for (let at = 0; at < size; at += 65_537) await file.write(bytes.subarray(at, at + 65_537))
    expect([file.size, (await file.open()).length, Buffer.compare(bytes, await file.open())]).toEqual([size, size, 0])
    await file.discard()
  })

  it('leaves no named file on the disk, not even during the upload', async () => {
    const before = await named()
    const file = new SpooledFile('a.ofx')
    await file.write(randomBytes(1_000_000))
    expect(await named()).toEqual(before)
    await file.discard()
  })

  it.each([
    [[262_144], 0],
    [[262_145], 1],
    [[262_144, 1], 1],
    [[262_145, 1, 1], 1],
  ])('of pieces of %j bytes opens %d files on the disk, and none once it is discarded', async (sizes, files) => {
    const file = new SpooledFile('a.ofx')
    for (const size of sizes) await file.write(randomBytes(size))
    expect(await countOpen()).toBe(files)
    await file.discard()
    expect([await countOpen(), (await file.open()).length]).toEqual([0, 0])
  })

  it('keeps a copy of a piece, whose bytes the sender may use again', async () => {
    const file = new SpooledFile('a.ofx')
    const piece = Buffer.from('abc')
    await file.write(piece)
    piece.fill(0)
    expect(Buffer.from(await file.open()).toString()).toBe('abc')
  })
})
