import { execFile, spawnSync } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { folderForTests } from '../harness/for-tests.ts'
import { findFreePort, runToEnd } from './service.ts'

const run = promisify(execFile)
const CHECKOUT = resolve(import.meta.dirname, '..', '..')
const NOBODY = 65_534

const folder = folderForTests()

beforeAll(async () => {
  await writeFile(join(folder.path, 'file'), '')
})

it('missing folders are all reported at once, by the names of their settings', async () => {
  const settings = { FEEDS_DIR: join(folder.path, 'no-feeds'), BANK_PROFILES_DIR: join(folder.path, 'file'), DATA_DIR: folder.path }
  const { code, stderr } = await runToEnd(settings)
  expect([code, stderr.match(/is not a folder that exists/g)?.length]).toEqual([2, 2])
  expect(stderr).toMatch(/FEEDS_DIR: [\s\S]*BANK_PROFILES_DIR: /)
})

describe('a data directory', () => {
  /** Starts as a user without rights to other users' files. */
  const startAsNobody = (DATA_DIR: string) =>
    spawnSync(process.execPath, ['src/main.ts', 'start'], {
      cwd: CHECKOUT,
      env: { PATH: process.env.PATH, DATA_DIR, ACCESS_TOKEN_MINUTES: 'x' },
      encoding: 'utf8',
      ...(process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}),
    })

  it.each([
    ['that is a file', 'file', 'is a file, not a folder'],
    ['within a file', 'file/a/b', 'cannot be made: "{}/file" is a file, not a folder'],
    ['that this user may not write to', 'closed', 'cannot be read and written by this user (EACCES)'],
    ['in a folder that this user may not write to', 'closed/a/b', 'cannot be made in "{}/closed" by this user (EACCES)'],
  ])('%s is reported with the other faults, and nothing is changed', async (_which, name, fault) => {
    await mkdir(join(folder.path, 'closed'), { recursive: true, mode: 0o500 })
    const before = await readdir(folder.path, { recursive: true })
    const { status, stderr } = startAsNobody(join(folder.path, name))
    expect([status, stderr]).toEqual([
      2,
      `the settings cannot be used:\n  ACCESS_TOKEN_MINUTES: "x" is not a whole number from 1 to 1440\n  DATA_DIR: "${join(folder.path, name)}" ${fault.replace('{}', folder.path)}\n`,
    ])
    expect(await readdir(folder.path, { recursive: true })).toEqual(before)
  })

  it('that the system refuses for another reason ends the start too', async () => {
    const { code, stderr } = await runToEnd({ DATA_DIR: '/proc/self/data', PORT: String(await findFreePort()) })
    expect([code, stderr]).toEqual([2, expect.stringMatching(/DATA_DIR: "?\/proc\/self\/data"? cannot be made .*\(E[A-Z]+\)/)])
  })
})

it('a receiver without a service says what to start', async () => {
  const receive = (dataDir: string, port: number) =>
    run(process.execPath, [resolve(import.meta.dirname, '..', '..', 'tools', 'receive.ts')], {
      env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: String(port) },
    }).catch((error: { stderr: string }) => error.stderr)
  expect(await receive(folder.path, await findFreePort())).toMatch(/^nobody answers at http:\S+; start the service first \(npm start\)/)
})
