import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { documentationFolder } from './documentation-files.ts'

it('the folder of the documents changes with each of them, and a missing one does not stop the start', async () => {
  const project = await mkdtemp(join(tmpdir(), 'documents-'))
  try {
    await mkdir(join(project, 'docs'))
    const folders = [documentationFolder(project)]
    await writeFile(join(project, 'docs', 'README.md'), '[Changes](../CHANGELOG.md)')
    folders.push(documentationFolder(project))
    await writeFile(join(project, 'CHANGELOG.md'), 'one')
    folders.push(documentationFolder(project))
    await writeFile(join(project, 'CHANGELOG.md'), 'two')
    folders.push(documentationFolder(project))
    expect(new Set(folders).size).toBe(4)
    expect(documentationFolder(project)).toBe(folders.at(-1))
  } finally {
    await rm(project, { recursive: true })
  }
})
