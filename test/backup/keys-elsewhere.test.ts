import { existsSync } from 'node:fs'
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../cli/run-command.ts'
import { databaseForTests, openForTests } from '../harness/for-tests.ts'
import { openDeployment, PASSPHRASE } from './deployment.ts'

/** A deployment whose keys are read from a command, such as a vault client. */
describe('external keys', () => {
  const deployment = openForTests(() => openDeployment(['xero']))
  const target = databaseForTests({ migrated: false })
  let environment: Record<string, string>
  let backup: string

  beforeAll(async () => {
    const { dataDir, folder, harness } = deployment
    const names = await readdir(join(dataDir, 'keys'))
    const documents = await Promise.all(names.map(async (name) => JSON.parse(await readFile(join(dataDir, 'keys', name), 'utf8'))))
    await writeFile(join(folder, 'keys.json'), JSON.stringify(documents), { mode: 0o600 })
    await rename(join(dataDir, 'keys'), join(folder, 'old-keys'))
    environment = {
      DATABASE_URL: harness.url,
      DATA_DIR: dataDir,
      KEYS_COMMAND: `cat '${join(folder, 'keys.json')}'`,
      BACKUP_PASSPHRASE_COMMAND: `printf '%s\\n' '${PASSPHRASE}'`,
    }
    backup = join(folder, 'vault.backup')
  })

  it('open every sealed value, and no key folder is created', async () => {
    // Its pages belong to a scripted source, so only the sealed values are checked here.
    const verified = await runCommand(['verify', '--json'], environment)
    const { sealed }: { sealed: { opened: number; unreadable: number }[] } = JSON.parse(verified.stdout)
    expect(sealed.filter(({ unreadable }) => unreadable > 0)).toEqual([])
    expect(sealed.some(({ opened }) => opened > 0)).toBe(true)
    expect(existsSync(join(deployment.dataDir, 'keys'))).toBe(false)
  })

  it('are not part of a backup, and a restore without them or with others is refused before anything is written', async () => {
    const written = await runCommand(['backup', '--to', backup], environment)
    expect([written.stderr, written.code]).toEqual(['', 0])
    const dataDir = join(deployment.folder, 'restored')
    const { KEYS_COMMAND: _, ...own } = environment
    const without = { ...own, DATABASE_URL: target.url, DATA_DIR: dataDir }
    const refused = await runCommand(['restore', '--from', backup], without)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('the backup holds no keys')])
    const others = JSON.parse(await readFile(join(deployment.folder, 'keys.json'), 'utf8')).filter(
      ({ purpose }: { purpose: string }) => purpose !== 'token-hash',
    )
    const wrong = await runCommand(['restore', '--from', backup], { ...without, KEYS: JSON.stringify(others) })
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('the keys are not those that the secrets in this backup')])
    expect(existsSync(dataDir)).toBe(false)
    const restored = await runCommand(['restore', '--from', backup], { ...without, KEYS_FILE: join(deployment.folder, 'keys.json') })
    expect([restored.stderr, restored.code]).toEqual(['', 0])
    expect(existsSync(join(dataDir, 'keys'))).toBe(false)
  }, 60_000)

  it.each([
    [{ KEYS_COMMAND: 'exit 3' }, 1, 'KEYS_COMMAND: the command failed: exit code 3'],
    [{ KEYS_COMMAND: 'echo hello' }, 1, 'KEYS_COMMAND: not a JSON array'],
    [{ KEYS_COMMAND: `echo '[{"purpose":"sealing"}]'` }, 1, 'KEYS_COMMAND: key 1 of 1 is damaged'],
    [{ KEYS_COMMAND: 'true', KEYS_FILE: '/nowhere' }, 2, 'of which one may be set'],
  ])('with an invalid command (%j) are refused', async (wrong, code, message) => {
    const verified = await runCommand(['verify'], { ...environment, ...wrong })
    expect([verified.code, verified.stderr]).toEqual([code, expect.stringContaining(message)])
  })
})
