import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'

const run = promisify(execFile)
const CHECKOUT = resolve(import.meta.dirname, '..', '..')
const FOLDER = join(import.meta.dirname, 'releases')
/** What a process of a release runs, without its pages for developers. */
const PARTS = ['bin', 'sdk/link', 'simulators', 'src', 'package.json', 'package-lock.json']
/** The same archive for the same files. */
const SAME = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0']

const archiveOf = (release: string) => join(FOLDER, `${release}.tar.br`)

/** Records the code of a release for later versions to run beside. */
export async function recordCode(release: string, checkout = CHECKOUT): Promise<void> {
  await withFolder(async (folder) => {
    const tar = join(folder, 'code.tar')
    const parts = PARTS.filter((part) => existsSync(join(checkout, part)))
    await run('tar', [
      '--create',
      '--file',
      tar,
      ...SAME,
      '--exclude=*.test.ts',
      '--exclude=src/portal/*',
      '--directory',
      checkout,
      ...parts,
    ])
    await writeFile(archiveOf(release), brotliCompressSync(await readFile(tar)))
  })
}

/** Lays out the recorded code of a release in a new folder, with the packages of this checkout. */
export async function layOutCode(release: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await withFolder(async (temporary) => {
    const tar = join(temporary, 'code.tar')
    await writeFile(tar, brotliDecompressSync(await readFile(archiveOf(release))))
    await run('tar', ['--extract', '--file', tar, '--directory', folder])
  })
  await symlink(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'))
}

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-release-'))
  await work(folder).finally(() => rm(folder, { recursive: true }))
}
