import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { readServedDocuments } from './api-document.ts'
import { recordDocuments } from './api-release.ts'

it('a release records both documents as they are served, and does so by itself', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'api-release-'))
  try {
    await recordDocuments(join(folder, 'api'))
    expect((await readdir(join(folder, 'api'))).sort()).toEqual(['administration.json', 'openapi.json'])
    const { openapi } = await readServedDocuments()
    expect(await readFile(join(folder, 'api', 'openapi.json'), 'utf8')).toBe(`${openapi}\n`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  expect(await readFile(resolve(import.meta.dirname, '../release/release.ts'), 'utf8')).toContain('await recordDocuments()')
})
