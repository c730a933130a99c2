import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { chmod, copyFile, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { guideBlock } from '../guides/guide-blocks.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { findFreePort } from '../process/service.ts'
import { DatabaseProxy } from '../store/database-proxy.ts'
import { Chroot, findChrootFault, readyz, untilReady } from './chroot.ts'
import { buildTwo, FIRST, PREPARE_MS, SECOND, writeSettings } from './debian-packages.ts'
import { isOnPath, readStatus } from './podman.ts'

const run = promisify(execFile)
const PASSWORD = 'harbour-violet-teapot-91'
const Printed = Type.Object({ stdout: Type.String() })
const LogLine = Type.Object({ msg: Type.String(), level: Type.String(), version: Type.Optional(Type.String()) })
const ROLES = ['api', 'worker'] as const

const folder = mkdtempSync(join(tmpdir(), 'debian-'))
const chroot = new Chroot(join(folder, 'root'))
const lacksLintian = !isOnPath('lintian') && process.env.CI !== 'true'
const fault = await findChrootFault()
if (fault !== null) process.stderr.write(`SKIPPED: the Debian package is not tested: ${fault}\n`)

/** Runs a block of the guide as root, as written. */
const follow = async (block: string) => await chroot.run('sh', '-euc', block)

describe.skipIf(fault !== null)(`the Debian package${fault === null ? '' : ' (SKIPPED: no chroot on this machine)'}`, () => {
  let database: TestDatabase
  let byTcp: DatabaseProxy
  let port: number
  let metrics: Record<(typeof ROLES)[number], number>
  let lintian: Promise<{ stdout: string; stderr: string }>

  beforeAll(async () => {
    await chmod(folder, 0o755)
    chroot.make()
    const first = await buildTwo(chroot.root)
    // In parallel with the tests, since it takes longer than all of them.
    lintian = run('lintian', ['--allow-root', '--fail-on', 'error,warning', first])
    lintian.catch(() => 'the last test says it')
    database = await testDatabase({ migrated: false })
    byTcp = await DatabaseProxy.open(database.url)
    port = await findFreePort()
    metrics = { api: await findFreePort(), worker: await findFreePort() }
    for (const name of ['systemctl', 'apt']) {
      await copyFile(join(import.meta.dirname, `${name}.sh`), chroot.path(`usr/bin/${name}`))
      await chmod(chroot.path(`usr/bin/${name}`), 0o755)
    }
    await mkdir(chroot.path('run/systemd/system'), { recursive: true })
  }, PREPARE_MS)
  afterAll(async () => {
    const left = ROLES.filter((role) => existsSync(chroot.path(`run/countinghouse@${role}.service.pid`)))
    if (left.length > 0) await chroot.run('systemctl', 'stop', ...left.map((role) => `countinghouse@${role}.service`))
    byTcp?.close()
    await database?.drop()
    await run('rm', ['--recursive', '--force', '--one-file-system', folder])
  })

  const ownerOf = (path: string) => {
    const { mode, uid, gid } = statSync(chroot.path(path))
    const nameOf = (file: string, id: number) => new RegExp(`^([^:]+):[^:]*:${id}:`, 'm').exec(chroot.read(file))?.[1]
    return `${(mode & 0o7777).toString(8)} ${nameOf('etc/passwd', uid)}:${nameOf('etc/group', gid)}`
  }
  const pidOf = (role: string) => Number(chroot.read(`run/countinghouse@${role}.service.pid`))
  const login = async () => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ email: 'ann@example.org', password: PASSWORD })
    return (await fetch(`http://127.0.0.1:${port}/admin/api/v1/auth/login`, { method: 'POST', headers, body })).status
  }
  const settings = () => chroot.read('etc/countinghouse/environment')
  const keys = () => readdirSync(chroot.path('var/lib/countinghouse/keys')).map((name) => chroot.read(`var/lib/countinghouse/keys/${name}`))

  it('installs with a separate user and settings that others cannot read, and starts nothing', async () => {
    await follow(guideBlock('debian.md', 'countinghouse_1.0.0').replace('1.0.0', FIRST))
    expect(chroot.read('etc/passwd')).toMatch(/^countinghouse:x:\d+:\d+:[^:]*:\/var\/lib\/countinghouse:\/usr\/sbin\/nologin$/m)
    expect(['etc/countinghouse/environment', 'var/lib/countinghouse', 'usr/lib/countinghouse/bin/node'].map(ownerOf)).toEqual([
      '640 root:countinghouse',
      '700 countinghouse:countinghouse',
      '755 root:root',
    ])
    expect(chroot.read('run/systemctl.log')).toBe('--system daemon-reload\n')
  })

  it('has a command that works as the service’s user with its settings', async () => {
    const own = {
      BASE_URL: `http://127.0.0.1:${port}`,
      PORT: String(port),
      DATABASE_URL: byTcp.url,
      SEED_EMAIL: 'ann@example.org',
      SEED_PASSWORD: PASSWORD,
      INSTANCE_NAME: '"Maple Lending"',
    }
    writeSettings(chroot, own)
    for (const role of ROLES) writeFileSync(chroot.path(`etc/countinghouse/${role}.environment`), `METRICS_LISTEN=${metrics[role]}\n`)
    expect((await chroot.run('countinghouse', '--version')).stdout).toBe(`${FIRST}\n`)
    // It reports faults, such as missing SMTP: exit code 1, but none about permissions or the database.
    const { stdout } = await follow(guideBlock('debian.md', 'countinghouse doctor')).catch((error: unknown) => Parse(Printed, error))
    expect([stdout.includes('SMTP'), stdout.includes('cannot be read')]).toEqual([true, false])
    const asNobody = chroot.run('setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups', 'countinghouse', 'doctor')
    await expect(asNobody).rejects.toThrow('run the command as root or as countinghouse')
  })

  it('serves and works as that user, without privileges', async () => {
    expect((await follow(guideBlock('debian.md', 'enable --now'))).stdout).toContain(': done')
    await untilReady(chroot, metrics)
    expect((await follow(guideBlock('debian.md', 'admin-link'))).stdout).toContain(`http://127.0.0.1:${port}/`)
    const uid = /^countinghouse:x:(\d+)/m.exec(chroot.read('etc/passwd'))?.[1]
    for (const role of ROLES) {
      const { Uid, CapEff, CapBnd } = readStatus(pidOf(role))
      expect([Uid, CapEff, CapBnd]).toEqual([`${uid}\t${uid}\t${uid}\t${uid}`, '0000000000000000', '0000000000000000'])
    }
    expect([await login(), (await fetch(`http://127.0.0.1:${port}/portal/`)).status]).toEqual([200, 200])
    // There is no proxy, no mail server, and a database for tests; METRICS_LISTEN is a setting of each role.
    const doctor = await chroot.run('countinghouse', 'doctor').catch((error: unknown) => Parse(Printed, error))
    expect([...doctor.stdout.matchAll(/^(?:error|warning) +(\S+)/gm)].map(([, id]) => id)).toEqual([
      'base-url-not-https',
      'database-unsafe',
      'mail-missing',
      'source-keys-unset',
    ])
    expect([ownerOf('var/lib/countinghouse/keys'), readdirSync(chroot.path('var/cache/countinghouse')).length]).toEqual([
      '700 countinghouse:countinghouse',
      1,
    ])
  })

  it('is upgraded: stops before the files change, keeps settings and data, and starts again', async () => {
    const before = { settings: settings(), keys: keys(), pids: ROLES.map(pidOf) }
    writeFileSync(chroot.path('run/systemctl.log'), '')
    await follow(guideBlock('debian.md', 'countinghouse_1.0.1').replace('1.0.1', SECOND))
    await untilReady(chroot, metrics)
    expect(chroot.read('run/systemctl.log').trim().split('\n')).toEqual([
      'list-units --plain --no-legend --state=active,activating countinghouse@*.service',
      'stop countinghouse@api.service countinghouse@worker.service',
      '--system daemon-reload',
      'reload-or-restart countinghouse@api.service countinghouse@worker.service',
    ])
    expect({ settings: settings(), keys: keys() }).toEqual({ settings: before.settings, keys: before.keys })
    expect([ownerOf('etc/countinghouse/environment'), chroot.read('etc/countinghouse/environment.dpkg-dist')]).toEqual([
      '640 root:countinghouse',
      expect.stringContaining('New in this version'),
    ])
    expect([await login(), ROLES.map(pidOf).some((pid) => before.pids.includes(pid))]).toEqual([200, false])
    for (const role of ROLES) {
      const lines = chroot
        .read(`run/${role}.log`)
        .trim()
        .split('\n')
        .map((line) => Parse(LogLine, JSON.parse(line)))
      expect(lines.filter(({ msg }) => msg === 'Countinghouse is ready.').map(({ version }) => version)).toEqual([FIRST, SECOND])
      expect(lines.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
    }
  })

  it('is purged with its settings; the database keys stay', async () => {
    const { stderr } = await follow(guideBlock('debian.md', 'purge'))
    expect(stderr).toContain('The keys of the database are kept in /var/lib/countinghouse')
    expect(await Promise.all(ROLES.map((role) => readyz(metrics[role])))).toEqual([null, null])
    const left = [
      'etc/countinghouse',
      'usr/lib/countinghouse',
      'usr/bin/countinghouse',
      'lib/systemd/system/countinghouse@.service',
      'var/cache/countinghouse',
      'run/countinghouse.stopped',
    ]
    expect(left.filter((path) => existsSync(chroot.path(path)))).toEqual([])
    expect(keys().length).toBeGreaterThan(2)
    await expect(chroot.run('dpkg-query', '--status', 'countinghouse')).rejects.toThrow('is not installed')
  })

  it.skipIf(lacksLintian)(
    `passes lintian${lacksLintian ? ' (SKIPPED: no lintian on this machine)' : ''}`,
    async () => {
      expect(await lintian).toEqual({ stdout: '', stderr: '' })
    },
    600_000,
  )
})
