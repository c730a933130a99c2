import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it } from 'vitest'
import { bundlesOf, CURRENT, ENTRY, findBundle, hashFiles, rememberBundle } from '../../../bin/bundled.js'
import { folderForTests } from '../../../test/harness/for-tests.ts'
import { buildService } from './service-files.ts'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../../..')

describe('the bundle of a tree', () => {
  const folder = folderForTests()
  const source = () => join(folder.path, 'src/one.ts')
  const current = () => join(bundlesOf(folder.path), CURRENT)

  beforeEach(async () => {
    await mkdir(dirname(source()), { recursive: true })
    await mkdir(join(bundlesOf(folder.path), 'made'), { recursive: true })
    await writeFile(join(bundlesOf(folder.path), 'made', ENTRY), '')
    await writeFile(source(), 'export const one = 1\n')
    const { size, mtimeMs, ctimeMs } = await stat(source())
    const files = [['src/one.ts', size, mtimeMs, ctimeMs]]
    await writeFile(current(), JSON.stringify({ name: 'made', sha256: hashFiles(folder.path, ['src/one.ts']), files }))
  })

  it('is found while its files are the same, also written again with the same content', async () => {
    expect(findBundle(folder.path)).toBe(join(bundlesOf(folder.path), 'made'))
    await writeFile(source(), 'export const one = 1\n')
    await utimes(source(), 1, 1)
    expect(findBundle(folder.path)).toBe(join(bundlesOf(folder.path), 'made'))
  })

  it('has the times of its files recorded anew, for whoever may read it, where their contents are the same', async () => {
    await chmod(current(), 0o604)
    await utimes(source(), 1, 1)
    expect(rememberBundle(folder.path)).toBe(join(bundlesOf(folder.path), 'made'))
    const { size, mtimeMs, ctimeMs } = await stat(source())
    expect(JSON.parse(await readFile(current(), 'utf8'))).toMatchObject({ name: 'made', files: [['src/one.ts', size, mtimeMs, ctimeMs]] })
    expect((await stat(current())).mode & 0o777).toBe(0o604)
    expect(await readdir(bundlesOf(folder.path))).toEqual([CURRENT, 'made'])
  })

  it('keeps its record where a file differs', async () => {
    const before = await readFile(current(), 'utf8')
    await writeFile(source(), 'export const one = 2\n')
    expect(rememberBundle(folder.path)).toBeNull()
    expect(await readFile(current(), 'utf8')).toBe(before)
  })

  it('is not found once a file differs, even with its former size and time of change', async () => {
    const { atime, mtime } = await stat(source())
    await writeFile(source(), 'export const one = 2\n')
    await utimes(source(), atime, mtime)
    expect(findBundle(folder.path)).toBeNull()
  })

  it('is not found once a file is gone', async () => {
    await rename(source(), `${source()}.gone`)
    expect(findBundle(folder.path)).toBeNull()
  })

  it('is not found once its code was taken away', async () => {
    await rm(join(bundlesOf(folder.path), 'made', ENTRY))
    expect(findBundle(folder.path)).toBeNull()
  })

  it('is not found where its description is missing or cut off', async () => {
    await writeFile(current(), (await readFile(current(), 'utf8')).slice(0, 20))
    expect(findBundle(folder.path)).toBeNull()
    await rm(current())
    expect(findBundle(folder.path)).toBeNull()
  })
})

describe('the bundle of this checkout', () => {
  it('runs the command without a file of src, and a few hundred in all for the service', async () => {
    await buildService()
    const folder = findBundle(ROOT)
    expect(folder).toContain(bundlesOf(ROOT))
    // Another user than the one who built it may run the service.
    expect((await stat(join(bundlesOf(ROOT), CURRENT))).mode & 0o444).toBe(0o444)
    const count = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
      process.on('exit', () => console.log(JSON.stringify(loaded.filter((url) => url.startsWith('file:')))))`
    const { stdout } = await run(process.execPath, [
      '--import',
      `data:text/javascript,${encodeURIComponent(count)}`,
      join(ROOT, 'bin/compile.js'),
    ])
    const loaded: string[] = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
    expect(loaded.filter((url) => url.includes('/src/') && !url.includes('/node_modules/'))).toEqual([])
    expect(loaded.length).toBeLessThan(500)
  })

  it('is made again where a part of it was taken away', async () => {
    await buildService()
    const folder = findBundle(ROOT) ?? ''
    await rm(join(folder, ENTRY))
    expect(findBundle(ROOT)).toBeNull()
    await buildService()
    expect(findBundle(ROOT)).toBe(folder)
  })

  it('names the sources in stack traces', async () => {
    await buildService()
    const folder = findBundle(ROOT) ?? ''
    const show = `
      import { readFileSync } from 'node:fs'
      import { setSourceMapsSupport } from 'node:module'
      setSourceMapsSupport(true, { nodeModules: false, generatedCode: false })
      const { runProcess } = await import(process.argv[1])
      await runProcess({ PORT: 'none' }, []).catch((error) => console.log(error.stack))`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', show, join(folder, 'run-process.js')], { cwd: ROOT })
    expect(stdout).toMatch(/ConfigError.*\n/)
    const [, path = '', line = ''] = /at runProcess \((?:file:\/\/)?(.*\/src\/process\/run-process\.ts):(\d+)/.exec(stdout) ?? []
    expect((await readFile(path, 'utf8')).split('\n')[Number(line) - 1]).toContain('readConfig(')
  })
})
