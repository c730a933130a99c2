import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand, startCommand } from '../cli/run-command.ts'
import { guideBlock } from '../guides/guide-blocks.ts'
import { openReaderShell, type ReaderShell } from '../guides/reader-shell.ts'
import { folderForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { findFreePort, runToEnd, type Service, startService } from '../process/service.ts'

/** An operator's work with the embedded PostgreSQL, following the guides. */
describe('the guides to backup and restore', () => {
  const folder = folderForTests()
  let service: Service
  let copy: Service | null = null
  let environment: Record<string, string>
  let shell: ReaderShell

  beforeAll(async () => {
    for (const name of ['backups', 'data', 'new']) await mkdir(join(folder.path, name), { mode: 0o711 })
    environment = {
      BACKUPS: join(folder.path, 'backups'),
      DATA_DIR: join(folder.path, 'data'),
      NEW_DATA_DIR: join(folder.path, 'new', 'data'),
    }
    shell = await openReaderShell(folder.path, environment)
    await shell.addCommand()
    service = await startService({ dataDir: join(folder.path, 'data') })
  })
  afterAll(async () => {
    await copy?.stop()
    await service?.stop()
  })

  const runBlocks = async (blocks: readonly string[], env: Record<string, string> = {}) => await shell.run(blocks.join('\n'), { env })

  it('back up and verify a running service', async () => {
    const said = await runBlocks([
      guideBlock('backup.md', 'openssl rand'),
      guideBlock('backup.md', 'backup --to'),
      guideBlock('backup.md', 'backup --into'),
      guideBlock('backup.md', 'countinghouse verify'),
    ])
    expect(said).toMatch(/countinghouse-\d{8}T\d{6}Z\.backup: \d+ tables/)
    expect(said).toMatch(/monday\.backup: \d+ tables, \d+ rows, [\d.]+ [kM]B/)
    expect(said).toMatch(
      /sealed values: \d+ opened, all\naudit trail: \d+ entries in \d+ chains, all genuine\nreplay: (\d+) of \1 records have the published bytes/,
    )
    expect(existsSync(join(folder.path, 'backups', 'monday.backup.part'))).toBe(false)
    expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200)
  }, 120_000)

  it('a killed restore reports that it is incomplete, and the same command completes it', async () => {
    const dataDir = environment.NEW_DATA_DIR ?? ''
    const settings = { DATA_DIR: dataDir, BACKUP_PASSPHRASE_FILE: join(folder.path, 'backups', 'passphrase') }
    const restoring = startCommand(['restore', '--from', join(folder.path, 'backups', 'monday.backup')], settings)
    await until('the restore has begun', () => (existsSync(join(dataDir, 'postgres', 'cluster')) ? true : null), 60_000)
    restoring.child.kill('SIGKILL')
    await restoring.ended
    const refused = await runToEnd({ DATA_DIR: dataDir, PORT: String(await findFreePort()) })
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('was begun and not finished; run countinghouse restore')])
    expect((await runCommand(['pause'], settings)).stderr).toContain('was begun and not finished')
  }, 120_000)

  it('restore into the embedded PostgreSQL, paused until it is resumed', async () => {
    const said = await runBlocks([guideBlock('restore.md', 'countinghouse restore'), guideBlock('restore.md', 'countinghouse verify')])
    expect(said).toContain('The copy is paused.')
    expect(said).toMatch(/tables: (\d+) of \1 are equal to the backup/)
    const port = String(await findFreePort())
    copy = await startService({ dataDir: environment.NEW_DATA_DIR ?? '', port: Number(port) })
    expect(await (await fetch(`${copy.baseUrl}/readyz`)).text()).toContain('"paused":"restored"')
    expect(await runBlocks([guideBlock('restore.md', 'countinghouse resume')], { DATA_DIR: environment.NEW_DATA_DIR ?? '' })).toContain(
      'Resumed',
    )
    const isPaused = async () => (await (await fetch(`${copy?.baseUrl}/readyz`)).text()).includes('paused')
    await until('the copy goes on', async () => ((await isPaused()) ? null : true))
  }, 120_000)
})
