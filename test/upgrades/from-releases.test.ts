import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readMigrations } from '../../src/store/db/migration-files.ts'
import { runCommand } from '../cli/run-command.ts'
import { databaseForTests, folderForTests } from '../harness/for-tests.ts'
import { Client } from '../journey/client.ts'
import { uploadStatement } from '../journey/http-walks.ts'
import { until } from '../process/deadline.ts'
import { type Service, startService } from '../process/service.ts'
import { LOGIN } from './fill-deployment.ts'
import { type Answers, PASSPHRASE, readReleaseData } from './release-data.ts'
import { readReleases } from './releases.ts'

/** Tables of its release of which a recorded deployment has no rows: they hold work under way, alarms, or need a browser. */
const MOSTLY_EMPTY = 20

const releases = await readReleases()

describe.each(releases.map(({ release, migration }) => ({ release, migration })))('data of release $release', ({ release, migration }) => {
  const folder = folderForTests()
  const target = databaseForTests({ migrated: false })
  let env: Record<string, string>
  let answers: Answers
  let backup: string
  let service: Service | null = null

  beforeAll(async () => {
    env = { DATABASE_URL: target.url, DATA_DIR: join(folder.path, 'data'), BACKUP_PASSPHRASE: PASSPHRASE }
    const data = await readReleaseData(release)
    backup = data.backup
    answers = data.answers
  })
  afterAll(async () => {
    await service?.stop()
  })

  async function run(...args: string[]): Promise<unknown> {
    const { code, stdout, stderr } = await runCommand([...args, '--json'], env)
    expect([code, stderr]).toEqual([0, ''])
    return JSON.parse(stdout)
  }

  it('is restored, and migrated to this version', async () => {
    await run('restore', '--from', backup)
    const { rows } = await target.database.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    )
    const later = (await readMigrations()).map(({ name }) => name).filter((name) => name > migration)
    expect(await run('migrate')).toMatchObject({ migrations: later })
    const empty: string[] = []
    for (const { name } of rows) if ((await target.database.query(`select from ${name} limit 1`)).rowCount === 0) empty.push(name)
    expect(empty.length, empty.join(', ')).toBeLessThan(MOSTLY_EMPTY)
  }, 60_000)

  it('is opened with its keys, and normalized to the same bytes', async () => {
    const verified = await run('verify')
    expect(verified).toMatchObject({ isSound: true, replayed: { different: 0, unreadablePages: 0 } })
  }, 60_000)

  it('is answered as by that release, plus later fields', async () => {
    service = await startService({ dataDir: env.DATA_DIR ?? '', environment: { ...env, SEED_EMAIL: LOGIN.email } })
    const client = await Client.logIn(service, LOGIN)
    const now: Answers = {}
    for (const path of Object.keys(answers)) now[path] = JSON.parse((await client.ask(path)).body)
    expect(now).toMatchObject(answers)
    expect(Object.keys(answers).length).toBeGreaterThan(15)
  }, 90_000)

  it('works once it is resumed: one of its companies is synced again', async () => {
    if (!service) throw new Error('nothing is running')
    await run('resume')
    const isPaused = async () => (await (await fetch(`${service?.baseUrl}/readyz`)).text()).includes('paused')
    await until('the pause ends', async () => ((await isPaused()) ? null : true))
    const client = await Client.logIn(service, LOGIN)
    const company = (await client.companies()).find(({ name }) => name.startsWith('Café'))
    const files = await client.service('Bank files')
    const newest = async () => (await client.runs(company?.id ?? '', files.id))[0]
    const before = await newest()
    await uploadStatement(service.baseUrl, await client.link(company?.id ?? '', files.id))
    await until('another run', async () => {
      const run = await newest()
      return run && run.id !== before?.id && ['published', 'unchanged'].includes(run.state) ? true : null
    })
  }, 60_000)
})
