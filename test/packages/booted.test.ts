import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { chmod, copyFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { guideBlock } from '../guides/guide-blocks.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { until } from '../process/deadline.ts'
import { findFreePort } from '../process/service.ts'
import { DatabaseProxy } from '../store/database-proxy.ts'
import { BootedChroot, findBootFault } from './booted-chroot.ts'
import { readyz } from './chroot.ts'
import { buildTwo, FIRST, PREPARE_MS, SECOND, writeSettings } from './debian-packages.ts'

const run = promisify(execFile)
const ROLES = ['api', 'worker'] as const
const UNITS = ROLES.map((role) => `countinghouse@${role}`)
const READY_MS = 40_000
const MOST_EXPOSED = 3
const LogLine = Type.Object({ msg: Type.String(), level: Type.String() })

const folder = mkdtempSync(join(tmpdir(), 'booted-'))
const machine = new BootedChroot(join(folder, 'root'))
const fault = await findBootFault()
if (fault !== null) process.stderr.write(`SKIPPED: the units are not run by systemd: ${fault}\n`)

/** Runs a block of the guide as root, as written. */
const follow = async (block: string) => await machine.run('sh', '-euc', block)

describe.skipIf(fault !== null)(
  `systemd runs the Debian package${fault === null ? '' : ' (SKIPPED: systemd cannot be booted here)'}`,
  () => {
    let database: TestDatabase
    let byTcp: DatabaseProxy
    let metrics: Record<(typeof ROLES)[number], number>

    beforeAll(async () => {
      await chmod(folder, 0o755)
      machine.make()
      await buildTwo(machine.root)
      database = await testDatabase({ migrated: false })
      byTcp = await DatabaseProxy.open(database.url)
      metrics = { api: await findFreePort(), worker: await findFreePort() }
      await copyFile(join(import.meta.dirname, 'apt.sh'), machine.path('usr/bin/apt'))
      await chmod(machine.path('usr/bin/apt'), 0o755)
      await machine.boot()
      await follow(guideBlock('debian.md', 'countinghouse_1.0.0').replace('1.0.0', FIRST))
      const port = await findFreePort()
      const own = { BASE_URL: `http://127.0.0.1:${port}`, PORT: String(port), DATABASE_URL: byTcp.url, SEED_EMAIL: 'ann@example.org' }
      writeSettings(machine, { ...own, SEED_PASSWORD: 'harbour-violet-teapot-91', INSTANCE_NAME: '"Maple Lending"' })
      for (const role of ROLES) writeFileSync(machine.path(`etc/countinghouse/${role}.environment`), `METRICS_LISTEN=${metrics[role]}\n`)
    }, PREPARE_MS)
    afterAll(async () => {
      await machine.turnOff('at once')
      byTcp?.close()
      await database?.drop()
      await run('rm', ['--recursive', '--force', '--one-file-system', folder])
    })

    const mainPidOf = async (unit: string) => Number((await machine.show(unit, 'MainPID'))[0])
    const statesOf = async () =>
      await Promise.all(UNITS.map(async (unit) => (await machine.show(unit, 'ActiveState', 'SubState')).join(' ')))
    async function untilReady(): Promise<void> {
      for (const role of ROLES)
        await until(`${role} is ready`, async () => ((await readyz(metrics[role])) === 200 ? true : null), READY_MS).catch(
          async (error: unknown) => {
            throw new Error((await machine.run('journalctl', '--no-pager', `--unit=countinghouse@${role}`)).stdout, { cause: error })
          },
        )
    }
    /** Lines that a unit has printed, as they are in the journal. */
    const readLines = async (unit: string) =>
      (await machine.run('journalctl', `_SYSTEMD_UNIT=${unit}.service`, '--output=cat', '--no-pager')).stdout.trim().split('\n')
    const toLogLine = (line: string) => Parse(LogLine, JSON.parse(line))

    it('starts both roles by the guide, with their logs in the journal', async () => {
      expect(await statesOf()).toEqual(['inactive dead', 'inactive dead'])
      await follow(guideBlock('debian.md', 'enable --now'))
      await untilReady()
      expect(await statesOf()).toEqual(['active running', 'active running'])
      for (const unit of UNITS)
        expect((await readLines(unit)).map(toLogLine).some(({ msg }) => msg === 'Countinghouse is ready.')).toBe(true)
    })

    it.each(UNITS)('its sandbox is in force for %s, by systemd’s own judgement and by what the process may do', async (unit) => {
      const { stdout } = await machine.run('systemd-analyze', 'security', '--no-pager', unit)
      const exposure = Number(/Overall exposure level.*: ([\d.]+)/.exec(stdout)?.[1])
      expect([exposure > 0, exposure <= MOST_EXPOSED]).toEqual([true, true])
      const pid = await mainPidOf(unit)
      const { stdout: status } = await machine.run('grep', '-E', '^(CapEff|CapBnd|NoNewPrivs|Seccomp):', `/proc/${pid}/status`)
      expect(status.replaceAll('\t', ' ').trim().split('\n')).toEqual([
        'CapEff: 0000000000000000',
        'CapBnd: 0000000000000000',
        'NoNewPrivs: 1',
        'Seccomp: 2',
      ])
      const tries = [
        '/etc',
        '/usr/lib/countinghouse',
        '/var/lib',
        '/var/lib/countinghouse',
        '/var/cache/countinghouse',
        '/var/log/countinghouse',
      ]
      const script = tries.map((path) => `if touch ${path}/tried 2>/dev/null; then rm ${path}/tried; echo ${path}; fi`).join('\n')
      const { stdout: written } = await machine.runAs(pid, 'root', script)
      expect(written.trim().split('\n')).toEqual(tries.slice(3))
      expect((await machine.runAs(pid, 'root', 'ls -A /home /root 2>&1; ls /dev | grep -c tty || true')).stdout).not.toMatch(/\.bashrc/)
    })

    it('is started again when it is killed, and not when its settings are wrong', async () => {
      const before = await mainPidOf('countinghouse@worker')
      await machine.run('systemctl', 'kill', '--kill-whom=main', '--signal=KILL', 'countinghouse@worker')
      await until('another process', async () => (![0, before].includes(await mainPidOf('countinghouse@worker')) ? true : null))
      await untilReady()
      expect(await machine.show('countinghouse@worker', 'NRestarts', 'Result')).toEqual(['1', 'success'])
      const file = machine.path('etc/countinghouse/worker.environment')
      const right = readFileSync(file, 'utf8')
      writeFileSync(file, `${right}DATABSE_URL=x\nMAX_CONNECTIONS=many\n`)
      await machine.run('systemctl', 'restart', 'countinghouse@worker').catch(() => 'it may end before systemctl has seen it start')
      await until('it has failed', async () => ((await machine.show('countinghouse@worker', 'ActiveState'))[0] === 'failed' ? true : null))
      expect(await machine.show('countinghouse@worker', 'NRestarts', 'ExecMainStatus')).toEqual(['0', '2'])
      writeFileSync(file, right)
      await machine.run('systemctl', 'reset-failed', 'countinghouse@worker')
      await machine.run('systemctl', 'start', 'countinghouse@worker')
      await untilReady()
    })

    it('is restarted by reload-or-restart, and stops quietly in time', async () => {
      const before = await mainPidOf('countinghouse@api')
      await machine.run('systemctl', 'reload-or-restart', 'countinghouse@api')
      await untilReady()
      expect(await mainPidOf('countinghouse@api')).not.toBe(before)
      await machine.run('systemctl', 'stop', ...UNITS)
      for (const unit of UNITS) {
        expect(await machine.show(unit, 'ActiveState', 'Result', 'ExecMainStatus')).toEqual(['inactive', 'success', '0'])
        // Faults of settings are text, for whoever reads them.
        const log = (await readLines(unit)).filter((line) => line.startsWith('{')).map(toLogLine)
        expect(log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
      }
      await machine.run('systemctl', 'start', ...UNITS)
      await untilReady()
    })

    it('is upgraded by its package while it runs, and starts by itself after the machine was turned off', async () => {
      await follow(guideBlock('debian.md', 'countinghouse_1.0.1').replace('1.0.1', SECOND))
      await untilReady()
      expect([await statesOf(), (await machine.run('countinghouse', '--version')).stdout.trim()]).toEqual([
        ['active running', 'active running'],
        SECOND,
      ])
      await machine.turnOff('orderly')
      expect(await Promise.all(ROLES.map((role) => readyz(metrics[role])))).toEqual([null, null])
      await machine.boot()
      await untilReady()
      expect(await statesOf()).toEqual(['active running', 'active running'])
    })

    it('is stopped and forgotten when it is purged', async () => {
      await follow(guideBlock('debian.md', 'purge'))
      expect(await Promise.all(ROLES.map((role) => readyz(metrics[role])))).toEqual([null, null])
      const { stdout } = await machine.run('systemctl', 'list-units', '--all', '--no-legend', '--no-pager', 'countinghouse@*')
      expect(stdout.trim()).toBe('')
    })
  },
)
