import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { OPERATOR_COMMANDS } from '../../src/cli/commands.ts'
import { checkKeys } from '../../src/store/keys/key-fingerprints.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { findBackupAge } from '../../src/store/snapshot/last-backup.ts'
import { type CommandRun, runCommand } from '../cli/run-command.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { addUser } from '../harness/app/users.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { databaseForTests, folderForTests } from '../harness/for-tests.ts'
import { listChanged, takeSnapshot } from './watch.ts'

/**
 * What each command is called with, in this order, and the actions of which it leaves entries. A restored copy has one
 * when it is resumed: until then it equals its backup.
 */
const WALK: readonly [line: string, actions: readonly string[]][] = [
  ['doctor', []],
  ['verify', []],
  ['webhook-address', []],
  ['migrate --dry-run', []],
  ['migrate', ['deployment.migrated']],
  ['migrate', []],
  ['pause', ['deployment.paused']],
  ['pause', []],
  ['resume', ['deployment.resumed']],
  ['resume', []],
  ['admin-link', ['password.link-issued']],
  ['operator-link --email ops@example.com --name Avery', ['operator.created', 'operator.link-issued']],
  ['token', ['login.succeeded']],
  ['replay', ['replay.started']],
  ['instance list', []],
  ['instance create Maple --admin maple@example.com', ['instance.created', 'password.link-issued']],
  ['instance rename Maple --name Birch', ['instance.renamed']],
  ['instance suspend Birch --reason Contract', ['instance.suspended']],
  ['instance resume Birch', ['instance.resumed']],
  ['instance export Birch --to FOLDER/birch.gz', ['instance.exported']],
  ['instance erase Birch --name Birch', ['instance.erasure-requested']],
  ['instance erasures', []],
  ['rotate-key --list', []],
  ['rotate-key sealing', ['deployment.key-added']],
  ['backup --to FOLDER/monday.backup', ['deployment.backed-up']],
]

/** `start` is the service itself; `restore` is below. */
const ELSEWHERE = ['start', 'restore']

const made = databaseForTests()
const folder = folderForTests()
let env: Record<string, string>

beforeAll(async () => {
  await checkKeys(made.database, await openKeys(join(folder.path, 'data')))
  await addUser(made.database, await addInstance(made.database))
  // A function of an earlier version.
  await made.database.query('delete from schema_functions')
  env = { DATABASE_URL: made.url, DATA_DIR: join(folder.path, 'data'), BACKUP_PASSPHRASE: 'violet harbour teapot ninety-one' }
})

interface Recorded {
  action: string
  actor: string
  actorId: string
}

async function listEntries({ database }: TestDatabase): Promise<Recorded[]> {
  const { rows } = await database.query<{ entry: string }>('select entry from audit_entries order by at, position')
  return rows.map(({ entry }) => JSON.parse(entry) as Recorded)
}

const run = (line: string, settings = env): Promise<CommandRun> =>
  runCommand(
    line.split(' ').map((part) => part.replace('FOLDER', folder.path)),
    settings,
  )

describe('every command', () => {
  it('that changes or takes something leaves an entry under its name', async () => {
    const faults: string[] = []
    for (const [line, actions] of WALK) {
      const [before, known] = [await takeSnapshot(made.database), await listEntries(made)]
      const { code, stderr } = await run(line)
      if (code !== 0 && line !== 'doctor') faults.push(`${line}: ${code} ${stderr}`)
      const after = await takeSnapshot(made.database)
      const entries = (await listEntries(made)).slice(known.length)
      const changed = listChanged(before, after)
      if (changed.length > 0 && entries.length === 0) faults.push(`${line} changes ${changed.join(', ')} and leaves no entry`)
      const wanted = actions.map((action) => `${action} command ${line.split(' ')[0]}`)
      // Some are in the chains of both the instance and the deployment.
      const found = [...new Set(entries.map(({ action, actor, actorId }) => `${action} ${actor} ${actorId}`))]
      if (found.sort().join() !== wanted.sort().join()) faults.push(`${line} leaves ${found.join(', ') || 'nothing'}`)
    }
    expect(faults).toEqual([])
  }, 240_000)

  it('of operators is in the walk; those of developers call the API', () => {
    const walked = new Set(WALK.map(([line]) => line.split(' ')[0]))
    expect(OPERATOR_COMMANDS.map(({ name }) => name).filter((name) => !walked.has(name) && !ELSEWHERE.includes(name))).toEqual([])
  })
})

it('a restored copy equals its backup, and has entries of the restore and its end once it is resumed', async () => {
  const copy = await testDatabase({ migrated: false })
  const settings = { ...env, DATABASE_URL: copy.url, DATA_DIR: join(folder.path, 'copy') }
  const restored = await run('restore --from FOLDER/monday.backup', settings)
  const verified = await run('verify --from FOLDER/monday.backup', settings)
  const known = (await listEntries(copy)).length
  const resumed = await run('resume', settings)
  const backups = [await findBackupAge(made.database), await findBackupAge(copy.database)]
  const entries = (await listEntries(copy)).slice(known)
  await copy.drop()
  expect([restored.code, verified.code, resumed.code], restored.stderr + verified.stdout).toEqual([0, 0, 0])
  expect(entries.map(({ action, actorId }) => [action, actorId])).toEqual([
    ['deployment.restored', 'resume'],
    ['deployment.resumed', 'resume'],
  ])
  expect(backups, 'ages of the last backup').toEqual([expect.any(Number), null])
}, 120_000)

it('a key that is added where no database is leaves no entry, and the command says so', async () => {
  const { code, stderr } = await run('rotate-key --create', { DATA_DIR: join(folder.path, 'new') })
  expect([code, stderr]).toEqual([0, expect.stringContaining('this leaves no audit entry: there is no database')])
}, 60_000)
