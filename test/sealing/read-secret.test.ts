import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { askSecretCommand, readSecretCommand, readSecretFile } from '../../src/store/keys/read-secret.ts'
import { folderForTests } from '../harness/for-tests.ts'

const folder = folderForTests()

const ENDS = [
  ['none', 'a', 'a'],
  ['a line end', 'a\\n', 'a'],
  ['one of Windows', 'a\\r\\n', 'a'],
  ['several, of which the last goes', 'a\\n\\n', 'a\n'],
  ['lines within', 'a\\nb\\n', 'a\nb'],
  ['nothing else', '\\n', ''],
] as const

describe('a secret outside the settings', () => {
  it.each(ENDS)('has no line end that an editor or a command adds: %s', async (_what, printed, secret) => {
    const path = join(folder.path, 'secret')
    await writeFile(path, printed.replaceAll('\\n', '\n').replaceAll('\\r', '\r'))
    const command = `printf '${printed}'`
    expect(readSecretFile(path, 'KEYS_FILE').reveal()).toBe(secret)
    expect(readSecretCommand(command, 'KEYS_COMMAND').reveal()).toBe(secret)
    expect((await askSecretCommand(command, 'DATABASE_PASSWORD_COMMAND')).reveal()).toBe(secret)
  })

  it('whose file cannot be read is an error that names setting, path and reason', () => {
    const path = join(folder.path, 'missing')
    expect(() => readSecretFile(path, 'KEYS_FILE')).toThrow(`KEYS_FILE: ${path} cannot be read (ENOENT)`)
  })

  it.each([
    ['printf hush; exit 3', 'exit code 3'],
    ['printf hush; kill -TERM $$', 'ended by SIGTERM'],
  ])('whose command fails (%s) is an error with the reason, and without what was printed', async (command, how) => {
    const refusal = new Error(`SETTING: the command failed: ${how}`)
    expect(() => readSecretCommand(command, 'SETTING')).toThrow(refusal)
    const error: unknown = await askSecretCommand(command, 'SETTING').catch((thrown: unknown) => thrown)
    expect([error, Object.keys(Object(error)), Object(error).cause]).toEqual([refusal, [], undefined])
  })

  it('whose command does not end is an error once its time is up', async () => {
    expect(() => readSecretCommand('exec sleep 60', 'SETTING', 100)).toThrow('SETTING: the command failed: spawnSync /bin/sh ETIMEDOUT')
    await expect(askSecretCommand('exec sleep 60', 'SETTING', 100)).rejects.toThrow('SETTING: the command failed: ended by SIGTERM')
  })

  it('that is longer than a mebibyte is refused', async () => {
    const command = `head -c 1048577 /dev/zero | tr '\\0' a`
    expect(() => readSecretCommand(command, 'SETTING')).toThrow('SETTING: the command failed')
    await expect(askSecretCommand(command, 'SETTING')).rejects.toThrow('SETTING: the command failed')
    expect(readSecretCommand(`head -c 1048576 /dev/zero | tr '\\0' a`, 'SETTING').reveal()).toHaveLength(1_048_576)
  })
})
