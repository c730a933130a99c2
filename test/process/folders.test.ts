import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findFreePort, openTestFolder, runToEnd } from './service.ts'

const run = promisify(execFile)

let folder: Awaited<ReturnType<typeof openTestFolder>>
beforeAll(async () => {
  folder = await openTestFolder()
  await writeFile(join(folder.path, 'file'), '')
})
afterAll(async () => await folder?.remove())

it('folders that do not exist are told at once, by the names of their settings', async () => {
  const settings = { FEEDS_DIR: join(folder.path, 'no-feeds'), BANK_PROFILES_DIR: join(folder.path, 'file'), DATA_DIR: folder.path }
  const { code, stderr } = await runToEnd(settings)
  expect([code, stderr.match(/is not a folder that exists/g)?.length]).toEqual([2, 2])
  expect(stderr).toMatch(/FEEDS_DIR: [\s\S]*BANK_PROFILES_DIR: /)
})

it('a data directory that cannot be made is told by the name of its setting', async () => {
  const { code, stderr } = await runToEnd({ DATA_DIR: join(folder.path, 'file', 'data'), PORT: String(await findFreePort()) })
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^DATA_DIR: .*file\/data cannot be made by this user \(ENOTDIR\)/)])
})

it('a receiver without a service says what to start', async () => {
  const receive = (dataDir: string, port: number) =>
    run(process.execPath, [resolve(import.meta.dirname, '..', '..', 'tools', 'receive.ts')], {
      env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: String(port) },
    }).catch((error: { stderr: string }) => error.stderr)
  expect(await receive(folder.path, 1)).toMatch(/^there is no login in .*login\.json; start the service first \(npm start\)/)
  await writeFile(join(folder.path, 'login.json'), '{}')
  expect(await receive(folder.path, await findFreePort())).toMatch(/^nobody answers at http:\S+; start the service first \(npm start\)/)
})
