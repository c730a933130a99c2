import { chmod, chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CHECKS, type CheckId } from '../../src/cli/doctor/checks.ts'
import { chooseAccount } from '../../src/store/embedded/account.ts'
import { folderForTests, openForTests } from '../harness/for-tests.ts'
import { fakeTime, fakeTimeNote, lacksFakeTime } from '../process/fake-time.ts'
import { lacksPooler, openPooledPostgres, poolerNote } from '../process/pooler.ts'
import { lacksMount, mountDisk, mountNote } from '../process/small-disk.ts'
import { MACHINE_FAULTS } from './machine-faults.ts'
import { type CommandRun, runCommand } from './run-command.ts'

const found = new Set<CheckId>()
const folder = folderForTests()

/** The command's output for one check; null if it reports nothing. */
function findingOf(id: CheckId, { stdout }: CommandRun): unknown {
  const { findings } = JSON.parse(stdout) as { findings: { id: string }[] }
  return findings.find((finding) => finding.id === id) ?? null
}

async function expectFinding(id: CheckId, fact: string | RegExp, env: Record<string, string>, as?: { uid: number; gid: number }) {
  const run = await runCommand(['doctor', '--json'], { DATA_DIR: folder.path, ...env }, as)
  const { severity, cure } = CHECKS[id]
  expect(findingOf(id, run), run.stderr + run.stdout).toEqual({ id, severity, fact: expect.stringMatching(fact), cure })
  found.add(id)
}

async function expectNone(id: CheckId, env: Record<string, string>, as?: { uid: number; gid: number }) {
  const run = await runCommand(['doctor', '--json'], { DATA_DIR: folder.path, ...env }, as)
  expect(findingOf(id, run)).toBe(null)
}

describe.skipIf(lacksPooler)(`countinghouse doctor behind PgBouncer${poolerNote}`, () => {
  const postgres = openForTests(openPooledPostgres)
  const session = openForTests(() => postgres.pool({ mode: 'session' }))

  it('reports a pooler in transaction mode without an address of sessions, but not with one, nor in session mode', async () => {
    const pooler = await postgres.pool({ mode: 'transaction' })
    const other = await postgres.pool({ mode: 'statement' })
    await expectFinding('database-unsuitable', /set DATABASE_DIRECT_URL/, { DATABASE_URL: pooler.url })
    await expectFinding('database-unsuitable', /DATABASE_DIRECT_URL is the address of a pooler in transaction mode/, {
      DATABASE_URL: session.url,
      DATABASE_DIRECT_URL: pooler.url,
    })
    await expectFinding('database-unsuitable', /statement mode/, { DATABASE_URL: other.url, DATABASE_DIRECT_URL: session.url })
    await expectNone('database-unsuitable', { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: postgres.url })
    await expectNone('database-unsuitable', { DATABASE_URL: session.url })
    await Promise.all([pooler.close(), other.close()])
  })

  it('reports an address of sessions that is of no use, or leads elsewhere', async () => {
    const pooler = await postgres.pool({ mode: 'transaction' })
    await expectFinding('database-direct-needless', /session mode/, { DATABASE_URL: session.url, DATABASE_DIRECT_URL: postgres.url })
    const elsewhere = postgres.url.replace('/countinghouse?', '/postgres?')
    await expectFinding('database-direct-differs', /different databases/, { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: elsewhere })
    await pooler.close()
  })

  it('reports an unencrypted connection to a host whose name is not this machine', async () => {
    // Linux treats this address as the machine itself, but nothing in the URL says so.
    const remote = session.url.replace('127.0.0.1', '0.0.0.0')
    await expectFinding('database-unencrypted', /^The connection to 0\.0\.0\.0:\d+ is in clear\.$/, { DATABASE_URL: remote })
    await expectNone('database-unencrypted', { DATABASE_URL: session.url })
    await expectFinding('database-unencrypted', 'DATABASE_DIRECT_URL does not ask for encryption.', {
      DATABASE_URL: session.url,
      DATABASE_DIRECT_URL: remote,
    })
    // The operator has decided so, as for the start.
    await expectNone('database-unencrypted', { DATABASE_URL: `${remote}?sslmode=disable` })
  })

  it.skipIf(lacksFakeTime).each(['+1d', '-1d'])(`reports a clock that is a day off (%s)${fakeTimeNote}`, async (clock) => {
    const env = { DATABASE_URL: session.url }
    await expectFinding('clock-skew', /^The clocks differ by 86[34]\d\d s\.$/, { ...env, ...fakeTime(clock) })
    await expectNone('clock-skew', { ...env, ...fakeTime('+0.5s') })
  })
})

describe.skipIf(lacksMount)(`countinghouse doctor on a small disk${mountNote}`, () => {
  it('reports a disk that is nearly full', async () => {
    const disk = await mountDisk(64)
    try {
      await expectFinding('disk-low', /^0\.1 GiB are free \(\d+ %\)\.$/, { DATA_DIR: disk.path })
    } finally {
      await disk.remove()
    }
  })
})

describe('countinghouse doctor as the user of the service', () => {
  it('reports a FEEDS_DIR that this user cannot read', async () => {
    const { uid, gid, isSwitched } = await chooseAccount()
    const feeds = join(folder.path, 'feeds')
    const dataDir = join(folder.path, 'own')
    await mkdir(feeds, { mode: 0o700 })
    await mkdir(dataDir, { mode: 0o700 })
    const env = { DATA_DIR: dataDir, FEEDS_DIR: feeds }
    // Owned by another user: for one that is not root, its own folder without permissions is equivalent.
    if (isSwitched) await chown(dataDir, uid, gid)
    else await chmod(feeds, 0o000)
    await expectFinding('feeds-dir-unreadable', `${feeds} cannot be read and written.`, env, { uid, gid })
    if (isSwitched) await chown(feeds, uid, gid)
    else await chmod(feeds, 0o700)
    await expectNone('feeds-dir-unreadable', env, { uid, gid })
  })
})

it.skipIf(lacksPooler || lacksMount || lacksFakeTime)('every fault of the machine was reported', () => {
  expect([...found].sort()).toEqual([...MACHINE_FAULTS].sort())
})
