import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { databaseForTests, folderForTests } from '../harness/for-tests.ts'
import { isOnPath } from '../packages/podman.ts'
import { startService } from '../process/service.ts'
import { guideBlock } from './guide-blocks.ts'
import { openReaderShell, type ReaderShell } from './reader-shell.ts'

const LOGIN = { email: 'avery@lender.example', password: 'harbour-violet-teapot-91' }

/** The two commands of Vault that the guide uses, on a file: Vault is not in Debian. */
const VAULT = `#!/bin/sh
case "$*" in
  "kv put secret/countinghouse keys=-") cat > "$VAULT_FILE.new" && exec mv "$VAULT_FILE.new" "$VAULT_FILE" ;;
  "kv get -field=keys secret/countinghouse") exec cat "$VAULT_FILE" ;;
esac
exit 2
`

const lacksJq = !isOnPath('jq') && process.env.CI !== 'true'

describe.skipIf(lacksJq)(`the guide to keys${lacksJq ? ' (SKIPPED: no jq)' : ''}`, () => {
  const folder = folderForTests()
  const database = databaseForTests({ migrated: false })
  let environment: Record<string, string>
  let shell: ReaderShell

  beforeAll(async () => {
    environment = {
      DATABASE_URL: database.url,
      DATA_DIR: join(folder.path, 'data'),
      ENVIRONMENT: 'production',
      VAULT_FILE: join(folder.path, 'vault.json'),
      TMPDIR: folder.path,
    }
    shell = await openReaderShell(folder.path, environment)
    await shell.addCommand()
    await shell.add('vault', VAULT)
    const seed = { SEED_EMAIL: LOGIN.email, SEED_PASSWORD: LOGIN.password }
    const service = await startService({ dataDir: environment.DATA_DIR ?? '', environment: { ...environment, ...seed } })
    await service.stop()
  })

  const follow = async (block: string, env: Record<string, string> = {}) => await shell.run(block, { env })
  const inVault = { KEYS_COMMAND: 'vault kv get -field=keys secret/countinghouse' }
  const keysOf = (listed: string): string[] => listed.match(/^(?:sealing|signing|token-hash) .*$/gm) ?? []

  it('moves the keys into a vault, from which a deployment without a folder of keys starts', async () => {
    const before = keysOf(await follow('countinghouse rotate-key --list'))
    expect(before).toHaveLength(3)
    expect(keysOf(await follow(guideBlock('keys.md', 'rotate-key --list')))).toEqual(before)
    await rename(join(folder.path, 'data', 'keys'), join(folder.path, 'old-keys'))
    const service = await startService({
      dataDir: environment.DATA_DIR ?? '',
      environment: { ...environment, ...inVault, PATH: shell.PATH },
    })
    onTestFinished(async () => void (await service.stop()))
    const answer = await fetch(`${service.baseUrl}/admin/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(LOGIN),
    })
    expect(answer.status).toBe(200)
  })

  it('adds a key to those in the vault, which writes ten minutes later', async () => {
    const before = keysOf(await follow('countinghouse rotate-key --list', inVault))
    const added = await follow(guideBlock('keys.md', 'rotate-key sealing'), inVault)
    const [, writesFrom = ''] = /^sealing key [0-9a-f]{16} added; it writes from (\S+Z)\.\n/.exec(added) ?? expect.fail(added)
    const minutes = (Date.parse(writesFrom) - Date.now()) / 60_000
    expect([minutes > 8, minutes <= 10], writesFrom).toEqual([true, true])
    const after = keysOf(await follow('countinghouse rotate-key --list', inVault))
    expect([after.length, before.filter((line) => !after.includes(line))], 'the old key still writes').toEqual([before.length + 1, []])
  })
})
