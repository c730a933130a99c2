import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { SpooledFile } from '../../src/connect/uploads/spooled-file.ts'

const named = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('countinghouse-upload-'))

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
})
