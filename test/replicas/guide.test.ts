import { execFile } from 'node:child_process'
import { appendFile, chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHECKS, type CheckId } from '../../src/cli/doctor/checks.ts'
import { REPLICA_FAULTS } from '../cli/machine-faults.ts'
import { runCommand } from '../cli/run-command.ts'
import { guideBlock, settingsOf } from '../guides/guide-blocks.ts'
import { POSTGRES_PROGRAMS } from '../harness/debian-postgres.ts'
import { folderForTests, openForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { lacksPooler, startPooler } from '../process/pooler.ts'
import { findFreePort, type Service, startService } from '../process/service.ts'
import { lacksReplication, PostgresServer, ReplicatedPostgres, replicationNote } from './cluster.ts'

const run = promisify(execFile)
const PASSWORD = 'violet-harbour-teapot-91'

describe.skipIf(lacksReplication)(`the guide’s replica, and a deployment that reads from it${replicationNote}`, () => {
  const folder = folderForTests()
  const cluster = openForTests(() => ReplicatedPostgres.open())
  let replica: PostgresServer
  let service: Service
  let place: string
  let metrics = 0
  let environment: Record<string, string>
  const found = new Set<CheckId>()

  beforeAll(async () => {
    await cluster.primary.admin('create role replicator login replication', 'postgres')
    replica = await followGuide()
    metrics = await findFreePort()
    environment = { ENVIRONMENT: 'production', DATABASE_URL: cluster.primary.url, SEED_EMAIL: 'admin@example.com', SEED_PASSWORD: PASSWORD }
    const settings = { ROLE: 'api', METRICS_LISTEN: `127.0.0.1:${metrics}`, ...(await settingsOfGuide()) }
    service = await startService({ dataDir: folder.path, environment: { ...environment, ...settings } })
  }, 240_000)
  afterAll(async () => {
    await service?.stop()
    await replica?.kill()
    if (place) await rm(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }, 60_000)

  async function followGuide(): Promise<PostgresServer> {
    const [uid = 0, gid = 0] = await Promise.all(['-u', '-g'].map(async (option) => Number((await run('id', [option, 'postgres'])).stdout)))
    place = await mkdtemp(join(tmpdir(), 'countinghouse-guide-replica-'))
    await chmod(place, 0o755)
    const data = join(place, 'main')
    await mkdir(data, { mode: 0o700 })
    await chown(data, uid, gid)
    const script = guideBlock('scaling.md', 'pg_basebackup')
      .replace('database.example.com', '127.0.0.1')
      .replace('5432', String(cluster.primary.port))
      .replace('/var/lib/postgresql/15/main', data)
    await run('sh', ['-ec', script], { uid, gid, cwd: '/', env: { PATH: `${POSTGRES_PROGRAMS}:/usr/bin:/bin` } })
    await appendFile(join(data, 'postgresql.conf'), guideBlock('scaling.md', 'hot_standby_feedback'))
    const server = new PostgresServer(data, await findFreePort(), { uid, gid })
    await server.start()
    return server
  }

  async function settingsOfGuide(address = replica.address): Promise<Record<string, string>> {
    const text = guideBlock('scaling.md', 'DATABASE_READ_URL')
      .replace(':a-long-password@', '@')
      .replace('?sslmode=verify-full', '')
      .replace('replica-1.example.com:5432,replica-2.example.com:5432', address)
    return settingsOf(text)
  }

  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.split(' ')[1],
    )
  }

  async function signIn(): Promise<Record<string, string>> {
    const answer = await fetch(`${service.baseUrl}/admin/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'admin@example.com', password: PASSWORD }),
    })
    const { access_token: token } = (await answer.json()) as { access_token: string }
    return { authorization: `Bearer ${token}` }
  }

  async function readUntil(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
    const headers = await signIn()
    await until(what, async () => {
      const { status } = await fetch(`${service.baseUrl}/admin/api/v1/normalized-data/companies`, { headers })
      expect(status).toBe(200)
      return (await isSo()) ? true : null
    })
  }

  it('answers, is left alone while it is away, and comes back; the log and the metrics tell', async () => {
    await readUntil('the replica answers', async () => (await metric('countinghouse_replica_statements_total{replica="1"}')) > 0)
    await readUntil('it serves', async () => (await metric('countinghouse_replica_serving{replica="1"}')) === 1)
    expect(service.output()).toContain('a replica answers reads')
    await replica.kill()
    await readUntil('it is named', () => service.output().includes('a replica is left alone'))
    expect(await metric('countinghouse_replica_serving{replica="1"}')).toBe(0)
    for (const path of ['livez', 'readyz', 'healthz']) expect((await fetch(`${service.baseUrl}/${path}`)).status).toBe(200)
    await replica.start()
    await readUntil('it is back', async () => (await metric('countinghouse_replica_serving{replica="1"}')) === 1)
  })

  async function findingsWith(address: string, more: Record<string, string> = {}): Promise<{ id: string; fact: string; cure: string }[]> {
    const settings = { DATA_DIR: folder.path, ...environment, ...(await settingsOfGuide(address)), ...more }
    const { stdout } = await runCommand(['doctor', '--json'], settings)
    const { findings } = JSON.parse(stdout) as { findings: { id: string; fact: string; cure: string }[] }
    return findings.filter(({ id }) => id.startsWith('replica-'))
  }

  async function expectFinding(id: CheckId, fact: string, address: string, more: Record<string, string> = {}): Promise<void> {
    const findings = await findingsWith(address, more)
    expect(findings, JSON.stringify(findings)).toContainEqual(expect.objectContaining({ id, fact, cure: CHECKS[id].cure }))
    found.add(id)
  }

  it('passes countinghouse doctor, which names every other server that could stand there', async () => {
    expect(await findingsWith(replica.address)).toEqual([])
    await expectFinding('replica-is-primary', `${cluster.primary.address} accepts writes.`, cluster.primary.address)
    expect(await findingsWith(`${cluster.primary.address},${replica.address}`)).toEqual([])
    const other = await ReplicatedPostgres.open()
    await expectFinding('replica-foreign', `${other.primary.address} is of another PostgreSQL cluster.`, other.primary.address)
    await other.close()
    const gone = `127.0.0.1:${await findFreePort()}`
    await expectFinding('replica-unreachable', `${gone}: connect ECONNREFUSED ${gone}.`, gone)
    await expectFinding('replica-unencrypted', `The connection to 0.0.0.0:${replica.port} is in clear.`, `0.0.0.0:${replica.port}`)
    await replica.pauseReplay()
    await cluster.primary.admin('create table later ()')
    const short = { DATABASE_READ_STALENESS_SECONDS: '2' }
    await expectFinding('replica-behind', `${replica.address} did not get to where the primary was within 2 s.`, replica.address, short)
    await replica.resumeReplay()
    await replica.admin('alter system set hot_standby_feedback = off')
    await replica.admin('select pg_reload_conf()')
    await until('it is off', async () => {
      const [row] = await replica.admin<{ hot_standby_feedback: string }>('show hot_standby_feedback')
      return row?.hot_standby_feedback === 'off' ? true : null
    })
    await expectFinding('replica-cancels', `${replica.address} has hot_standby_feedback off.`, replica.address)
    if (!lacksPooler) {
      const pooler = await startPooler('postgres://countinghouse@/countinghouse?host=127.0.0.1', {
        mode: 'transaction',
        serverPort: replica.port,
      })
      const address = new URL(pooler.url).host
      await expectFinding('replica-pooled', `${address} is a pooler or a balancer.`, address)
      await pooler.close()
    }
    expect([...found].sort()).toEqual(REPLICA_FAULTS.filter((id) => !lacksPooler || id !== 'replica-pooled').toSorted())
  }, 180_000)
})
