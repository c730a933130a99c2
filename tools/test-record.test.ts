import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { filesToRunAgain, fingerprintOfTree } from './test-record.ts'

describe('the fingerprint of a tested tree', () => {
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countinghouse-tree-'))
    execFileSync('git', ['init', '--quiet'], { cwd: folder })
    await writeFile(join(folder, '.gitignore'), 'data/\n*.log\n')
    await writeFile(join(folder, 'one.ts'), '1')
    await writeFile(join(folder, 'two.ts'), '2')
    execFileSync('git', ['add', '.'], { cwd: folder })
  })

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  const changes: [string, (root: string) => Promise<void>][] = [
    ['a file that changes', (root) => writeFile(join(root, 'one.ts'), '3')],
    ['a new file that git does not know yet', (root) => writeFile(join(root, 'three.ts'), '')],
    ['a deleted file', (root) => rm(join(root, 'two.ts'))],
    [
      'what moves from one file to the next',
      (root) => Promise.all([writeFile(join(root, 'one.ts'), ''), writeFile(join(root, 'two.ts'), '12')]).then(),
    ],
  ]
  it.each(changes)('is different with %s', async (_change, change) => {
    const before = await fingerprintOfTree(folder)
    await change(folder)
    expect(await fingerprintOfTree(folder)).not.toBe(before)
  })

  it('is the same with files that git ignores', async () => {
    const before = await fingerprintOfTree(folder)
    await writeFile(join(folder, 'run.log'), 'ran')
    expect(await fingerprintOfTree(folder)).toBe(before)
  })

  it('is missing if git lists no files, so that everything is tested', async () => {
    await rm(join(folder, '.git'), { recursive: true })
    expect(await fingerprintOfTree(folder)).toBeNull()
  })
})

describe('the files that are run again', () => {
  const run = (count: number) => ({
    fingerprint: 'f',
    files: 600,
    tests: 9_000,
    at: '',
    failed: Array.from({ length: count }, (_, n) => `${n}.test.ts`),
  })

  it('are the few that failed', () => {
    expect(filesToRunAgain(run(5), 'f')).toHaveLength(5)
  })

  it.each([
    ['nothing failed', null, 'f'],
    ['the tree is another', run(1), 'g'],
    ['git cannot say which tree it is', run(1), null],
    ['they are many', run(6), 'f'],
  ])('are none when %s', (_when, failed, fingerprint) => {
    expect(typeof filesToRunAgain(failed, fingerprint)).toBe('string')
  })
})
