import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RELEASE } from '../../src/model/release.ts'
import { layOut } from '../../tools/package/lay-out.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { until } from '../process/deadline.ts'
import { findFreePort } from '../process/service.ts'
import { DatabaseProxy } from '../store/database-proxy.ts'
import { missingPrograms, Podman, readStatus } from './podman.ts'
import { unitSandbox } from './unit-sandbox.ts'

const CONTAINER = resolve(import.meta.dirname, '..', '..', 'deploy', 'container')
const MOST_MEGABYTES = 300
const HARDENED = ['--read-only', '--cap-drop=all', '--security-opt=no-new-privileges', '--network=host']

const folder = mkdtempSync(join(tmpdir(), 'container-'))
const podman = new Podman(folder)
const sandbox = unitSandbox()
const lacksSandbox = sandbox === null && process.env.CI !== 'true'
const fault = await findFault()
if (fault !== null) process.stderr.write(`SKIPPED: the container image is not tested: ${fault}\n`)

/** Why this machine runs no containers; null if it does, or if CI is set, so that the tests fail. */
async function findFault(): Promise<string | null> {
  if (process.env.CI === 'true') return null
  if (missingPrograms.length > 0) return `no ${missingPrograms.join(', ')}`
  await podman.makeBase('localhost/probe', join(folder, 'probe'))
  return await podman.run('run', '--rm', ...HARDENED, 'localhost/probe', '/usr/bin/sh', '-c', 'exit 0').then(
    () => null,
    (error: unknown) => `no container runs on this machine: ${error}`,
  )
}

describe.skipIf(fault !== null)(`the container image${fault === null ? '' : ' (SKIPPED: no container runs on this machine)'}`, () => {
  let test: TestDatabase
  let byTcp: DatabaseProxy
  let port: number
  let metricsPort: number
  let readyMs: number

  beforeAll(async () => {
    const context = await mkdtemp(join(folder, 'context-'))
    await cp(CONTAINER, context, { recursive: true, filter: (file) => !file.startsWith(join(CONTAINER, 'countinghouse')) })
    await layOut(join(context, 'countinghouse'), { node: true, database: false })
    await podman.makeBase('localhost/base', join(folder, 'base'))
    await podman.run(
      'build',
      '--isolation=chroot',
      '--layers=false',
      '--build-arg=BASE=localhost/base',
      '--tag=localhost/countinghouse',
      context,
    )
    test = await testDatabase({ migrated: false })
    byTcp = await DatabaseProxy.open(test.url)
    port = await findFreePort()
    metricsPort = await findFreePort()
    const environment = Object.entries({
      DATABASE_URL: byTcp.url,
      SEED_PASSWORD: 'harbour-violet-teapot-91',
      HOST: '127.0.0.1',
      PORT: String(port),
      METRICS_LISTEN: `0.0.0.0:${metricsPort}`,
    }).flatMap(([name, value]) => ['--env', `${name}=${value}`])
    const profile = join(folder, 'seccomp.json')
    writeFileSync(profile, JSON.stringify(sandbox))
    const restricted = sandbox === null ? [] : [`--security-opt=seccomp=${profile}`]
    await podman.run('run', '--detach', '--name=one', ...HARDENED, ...restricted, ...environment, 'localhost/countinghouse')
    const startedAt = performance.now()
    const isReady = () =>
      fetch(`http://127.0.0.1:${metricsPort}/readyz`).then(
        (answer) => answer.ok || null,
        () => null,
      )
    await until('ready', isReady, 20_000).catch(async (error: unknown) => {
      throw new Error(await logOf('one'), { cause: error })
    })
    readyMs = performance.now() - startedAt
  })
  afterAll(async () => {
    await podman.run('rm', '--force', '--all', '--time=5')
    byTcp?.close()
    await test?.drop()
    await rm(folder, { recursive: true, force: true })
  })

  /** Podman prints to the same stream as the container, so both are read. */
  const logOf = async (name: string) => await podman.run('logs', name)

  it(`has at most ${MOST_MEGABYTES} MB`, async () => {
    const bytes = Number(await podman.run('image', 'inspect', '--format={{.Size}}', 'localhost/countinghouse'))
    process.stdout.write(`container image: ${Math.round(bytes / 1e6)} MB, ready after ${Math.round(readyMs)} ms\n`)
    expect(bytes / 1e6).toBeLessThan(MOST_MEGABYTES)
  })

  it('serves the portal and logs in, as a user without privileges on a read-only root', async () => {
    const origin = `http://127.0.0.1:${port}`
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ email: 'developer@example.com', password: 'harbour-violet-teapot-91' })
    expect((await fetch(`${origin}/admin/api/v1/auth/login`, { method: 'POST', headers, body })).status).toBe(200)
    expect((await fetch(`${origin}/portal/`)).status).toBe(200)
    const pid = Number(await podman.run('inspect', '--format={{.State.Pid}}', 'one'))
    const { Uid, CapEff, NoNewPrivs } = readStatus(pid)
    const root = readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[4] === '/')
    expect([Uid, CapEff, NoNewPrivs, root?.split(' ')[5]]).toEqual([
      '65532\t65532\t65532\t65532',
      '0000000000000000',
      '1',
      expect.stringMatching(/^ro\b/),
    ])
  })

  it.skipIf(lacksSandbox)(
    `runs with the system calls and sockets of the systemd unit${lacksSandbox ? ' (SKIPPED: no systemd-analyze)' : ''}`,
    async () => {
      const { Seccomp } = readStatus(Number(await podman.run('inspect', '--format={{.State.Pid}}', 'one')))
      expect([Seccomp, JSON.stringify(sandbox)]).toEqual(['2', expect.stringContaining('"epoll_wait"')])
    },
  )

  it('has the command of operators', async () => {
    expect(await podman.run('exec', 'one', 'countinghouse', '--version')).toBe(RELEASE)
  })

  it('has metrics on their own port only', async () => {
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(404)
    expect(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()).toContain('countinghouse_info{')
  })

  it('stops at SIGTERM with status 0', async () => {
    await podman.run('stop', '--time=30', 'one')
    expect(await podman.run('inspect', '--format={{.State.ExitCode}}', 'one')).toBe('0')
  })
})
