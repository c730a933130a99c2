import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openKeys } from '../../src/store/keys/keys.ts'
import { runCommand } from '../cli/run-command.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { addUser } from '../harness/app/users.ts'
import { testDatabase } from '../harness/database.ts'

it('commands that change something leave an entry under their names', async () => {
  const { database, url, drop } = await testDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'audit-commands-'))
  await openKeys(folder)
  await addUser(database, await addInstance(database))
  const env = { DATABASE_URL: url, DATA_DIR: folder }
  const codes: (number | null)[] = []
  for (const command of ['pause', 'pause', 'resume', 'resume', 'admin-link', 'token', 'replay'])
    codes.push((await runCommand([command], env)).code)
  const { rows } = await database.query<{ entry: string; isDeployment: boolean }>(
    `select entry, instance_id = '00000000-0000-0000-0000-000000000000' as "isDeployment" from audit_entries order by at`,
  )
  await drop()
  await rm(folder, { recursive: true })
  expect(codes).toEqual([0, 0, 0, 0, 0, 0, 0])
  const entries = rows.map(({ entry, isDeployment }) => ({
    ...(JSON.parse(entry) as { action: string; actor: string; actorId: string }),
    isDeployment,
  }))
  expect(entries.map(({ action, actor, actorId, isDeployment }) => [action, actor, actorId, isDeployment])).toEqual([
    ['deployment.paused', 'command', 'pause', true],
    ['deployment.resumed', 'command', 'resume', true],
    ['password.link-issued', 'command', 'admin-link', false],
    ['login.succeeded', 'command', 'token', false],
    ['replay.started', 'command', 'replay', false],
  ])
}, 120_000)
