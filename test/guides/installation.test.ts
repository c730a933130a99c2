import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { chmod, copyFile, cp, mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RELEASE } from '../../src/model/release.ts'
import { type OutsidePostgres, startOutsidePostgres } from '../drill/outside-postgres.ts'
import { POSTGRES_PROGRAMS } from '../harness/debian-postgres.ts'
import { Chroot, findChrootFault, untilReady } from '../packages/chroot.ts'
import { findFreePort } from '../process/service.ts'
import { guideBlock } from './guide-blocks.ts'
import { openReaderShell, type ReaderShell } from './reader-shell.ts'

const PACKAGES = join(import.meta.dirname, '..', 'packages')
const ROLES = ['api', 'worker'] as const
const Printed = Type.Object({ stdout: Type.String() })
const MAJOR = POSTGRES_PROGRAMS.split('/').at(-2)

const folder = mkdtempSync(join(tmpdir(), 'installation-'))
const chroot = new Chroot(join(folder, 'root'), ['curl', `postgresql-client-${MAJOR}`])
const fault = await findChrootFault()
if (fault !== null) process.stderr.write(`SKIPPED: the installation guides are not followed: ${fault}\n`)

/** The guides that install from a checkout, with the programs of this machine and a Debian in a folder. */
describe.skipIf(fault !== null)(`the guides to an installation${fault === null ? '' : ' (SKIPPED: no chroot on this machine)'}`, () => {
  let shell: ReaderShell
  let checkout: string
  let postgres: OutsidePostgres
  let metrics: Record<(typeof ROLES)[number], number>

  beforeAll(async () => {
    await chmod(folder, 0o755)
    shell = await openReaderShell(folder)
    checkout = join(folder, 'opt', 'countinghouse')
    metrics = { api: await findFreePort(), worker: await findFreePort() }
    chroot.make()
    await mkdir(chroot.path('usr/local/bin'), { recursive: true })
    await mkdir(chroot.path('etc/systemd/system'), { recursive: true })
    // Those of Debian need files that its packages make when they are installed.
    for (const name of ['runuser', 'other'])
      writeFileSync(
        chroot.path(`etc/pam.d/${name}`),
        ['auth', 'account', 'session'].map((kind) => `${kind} required pam_permit.so\n`).join(''),
      )
    await copyFile(join(PACKAGES, 'systemctl.sh'), chroot.path('usr/bin/systemctl'))
    // The log of the API, as the journal prints it; apt, whose packages another test looks up.
    writeFileSync(chroot.path('usr/bin/journalctl'), '#!/bin/sh\ntest "$1 $2" = "-u countinghouse@api" && exec cat /run/api.log\n')
    writeFileSync(chroot.path('usr/bin/apt'), '#!/bin/sh\ntest "$1" = install\n')
    for (const name of ['systemctl', 'journalctl', 'apt']) await chmod(chroot.path(`usr/bin/${name}`), 0o755)
    postgres = await startOutsidePostgres(join(folder, 'postgres'), { auth: 'trust' })
    await inChroot('adduser --system --group --quiet postgres')
  })
  afterAll(async () => {
    if (postgres) await inChroot("systemctl stop 'countinghouse@*'")
    await postgres?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const inChroot = async (commands: string) => {
    const programs = `PATH=/usr/local/bin:/usr/lib/postgresql/${MAJOR}/bin:$PATH PGHOST=127.0.0.1 PGPORT=${postgres?.port}`
    const { stdout } = await chroot.run('sh', '-euc', `export ${programs}\n${commands}`)
    return stdout
  }

  it('get the program from a checkout', async () => {
    await mkdir(join(folder, 'opt'))
    const block = guideBlock('production.md', 'git clone').replaceAll('/opt/', `${folder}/opt/`).replace('/usr/local/bin', shell.bin)
    await shell.run(block, { cwd: folder })
    expect(await shell.run('countinghouse --version', { cwd: folder })).toBe(`${RELEASE}\n`)
  }, 120_000)

  it('add the user and the folders of the service', async () => {
    await inChroot(guideBlock('production.md', 'adduser --system'))
    const folders = ['etc', 'var/lib', 'var/log', 'run'].map((at) => statSync(chroot.path(`${at}/countinghouse`)))
    const uid = Number(/^countinghouse:x:(\d+):.*:\/bin\/bash$/m.exec(chroot.read('etc/passwd'))?.[1])
    expect(folders.map((each) => [each.uid, each.mode & 0o777])).toEqual(folders.map(() => [uid, 0o700]))
    await inChroot(
      'deluser --quiet countinghouse; rm -r /etc/countinghouse /var/lib/countinghouse /var/log/countinghouse /run/countinghouse',
    )
  })

  it('make a role and a database for the package', async () => {
    await inChroot(guideBlock('debian.md', 'apt install postgresql'))
    await inChroot('runuser -u postgres -- dropdb countinghouse; runuser -u postgres -- dropuser countinghouse')
  })

  it('install units, which start both roles', async () => {
    await shell.run(guideBlock('systemd.md', 'npm run package').replace('/tmp/', `${chroot.path('tmp')}/`), { cwd: checkout })
    await cp(join(checkout, 'deploy', 'systemd'), chroot.path('deploy/systemd'), { recursive: true })
    const port = await findFreePort()
    const filledIn = {
      BASE_URL: `http://127.0.0.1:${port}`,
      PORT: String(port),
      DATABASE_URL: `postgres://countinghouse@127.0.0.1:${postgres.port}/countinghouse`,
      SEED_EMAIL: 'ann@example.org',
      SEED_PASSWORD: 'harbour-violet-teapot-91',
      INSTANCE_NAME: "'Maple Lending'",
    }
    const example = readFileSync(chroot.path('deploy/systemd/environment'), 'utf8').split('\n')
    const kept = example.filter((line) => !Object.keys(filledIn).some((name) => line.startsWith(`${name}=`)))
    const lines = [...kept, ...Object.entries(filledIn).map(([name, value]) => `${name}=${value}`)]
    writeFileSync(chroot.path('deploy/systemd/environment'), lines.join('\n'))
    for (const role of ROLES) writeFileSync(chroot.path(`deploy/systemd/${role}.environment`), `METRICS_LISTEN=${metrics[role]}\n`)
    await inChroot(guideBlock('systemd.md', 'daemon-reload'))
    await untilReady(chroot, metrics)
    expect([
      statSync(chroot.path('etc/countinghouse/environment')).mode & 0o777,
      statSync(chroot.path('usr/lib/countinghouse')).uid,
    ]).toEqual([0o640, 0])
  }, 120_000)

  it('have a command with the settings of the service, which finds no fault that this machine does not have', async () => {
    const said = await inChroot(guideBlock('systemd.md', 'admin-link')).catch((error: unknown) => Parse(Printed, error).stdout)
    expect(said).toMatch(/ann@example\.org sets a password here, once/)
    // There is no proxy, and no mail server.
    expect([...said.matchAll(/^(?:error|warning) +(\S+)/gm)].map(([, id]) => id)).toEqual([
      'base-url-not-https',
      'mail-missing',
      'source-keys-unset',
    ])
  })

  it('show that both units run and are ready, and what they log', async () => {
    const block = guideBlock('systemd.md', 'journalctl').replace('9464', String(metrics.api)).replace('9465', String(metrics.worker))
    const said = await inChroot(block)
    expect(said.match(/Active: active/g)).toHaveLength(2)
    expect(said.match(/"status":"ready"/g), said).toHaveLength(2)
    expect(said).toContain('"msg":"Countinghouse is ready."')
  })

  it('replace the program', async () => {
    const pids = () => ROLES.map((role) => chroot.read(`run/countinghouse@${role}.service.pid`))
    const before = pids()
    await inChroot('cp -r /usr/lib/countinghouse /usr/lib/countinghouse.new')
    await inChroot(guideBlock('systemd.md', 'countinghouse.old'))
    await untilReady(chroot, metrics)
    expect(pids().filter((pid) => before.includes(pid))).toEqual([])
  })
})
