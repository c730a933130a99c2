import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hasCode } from '../../src/model/error-code.ts'
import { until } from '../process/deadline.ts'
import { Chroot, findChrootFault, type Output } from './chroot.ts'

const run = promisify(execFile)
const BOOT = join(import.meta.dirname, 'boot.sh')
const PACKAGES = ['systemd']
const BOOT_MS = 60_000
const ENVIRONMENT = ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C.UTF-8', 'PAGER=cat']

/** Why this machine cannot boot systemd in a folder; null if it can, or if CI is set, so that the tests fail. */
export async function findBootFault(): Promise<string | null> {
  if (process.env.CI === 'true') return null
  const fault = await findChrootFault()
  if (fault !== null) return fault
  if (!existsSync('/lib/systemd/systemd')) return 'no systemd'
  const script = 'mount -t cgroup2 cgroup2 /mnt && mkdir "/mnt/$0" && rmdir "/mnt/$0"'
  return await run('unshare', [
    '--mount',
    '--pid',
    '--fork',
    '--uts',
    '--ipc',
    '--cgroup',
    'sh',
    '-euc',
    script,
    `try-${process.pid}`,
  ]).then(
    () => null,
    (error: unknown) => `no control group can be made: ${error}`,
  )
}

/** A Debian installation whose process 1 is its own systemd, as on a machine of an operator. */
export class BootedChroot extends Chroot {
  readonly #group = `countinghouse-${randomBytes(6).toString('hex')}`
  #boot: ChildProcess | null = null
  /** Process 1 as seen from outside. */
  #init = 0

  constructor(root: string) {
    super(root, PACKAGES)
  }

  override make(): void {
    super.make()
    // Without an id it would be a first boot, which enables every service of Debian.
    writeFileSync(this.path('etc/machine-id'), `${randomBytes(16).toString('hex')}\n`)
    mkdirSync(this.path('var/log/journal'), { recursive: true })
    writeFileSync(this.path('etc/hostname'), 'operator\n')
  }

  async boot(): Promise<void> {
    let said = ''
    const boot = spawn('unshare', ['--mount', 'sh', BOOT, this.root, this.#group], { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [boot.stdout, boot.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text
      })
    this.#boot = boot
    const isUp = async () => {
      if (boot.exitCode !== null) throw new Error(`systemd has ended: ${said}`)
      const [init] = childrenOf(boot.pid ?? 0)
      if (init === undefined || !commandOf(init).startsWith('/lib/systemd/systemd')) return null
      this.#init = init
      const { stdout } = await this.run('systemctl', 'is-system-running').catch((error: unknown) => toOutput(error))
      return stdout.trim() === 'running' ? true : null
    }
    await until('systemd has booted', isUp, BOOT_MS).catch(async (error: unknown) => {
      const failed = this.#init > 0 ? await this.run('systemctl', '--failed', '--no-pager').catch(toOutput) : { stdout: '' }
      throw new Error(`${said}\n${failed.stdout}`, { cause: error })
    })
  }

  /** Runs a program in it as root; throws with its output if it fails. */
  override async run(...command: string[]): Promise<Output> {
    const entered = ['--target', String(this.#init), '--mount', '--uts', '--ipc', '--pid', '--cgroup', '--root', '--wd']
    return await run('nsenter', [...entered, 'env', '-i', ...ENVIRONMENT, ...command], { maxBuffer: 16 * 1024 * 1024 })
  }

  /** Runs a program in the namespaces of a unit’s main process, as its user and with its privileges: what its sandbox lets it do. */
  async runAs(mainPid: number, user: string, script: string): Promise<Output> {
    return await this.run(
      'nsenter',
      '--target',
      String(mainPid),
      '--mount',
      'setpriv',
      `--reuid=${user}`,
      '--clear-groups',
      'sh',
      '-c',
      script,
    )
  }

  /** Values of a unit, such as `ActiveState`. */
  async show(unit: string, ...names: string[]): Promise<string[]> {
    const { stdout } = await this.run('systemctl', 'show', unit, ...names.map((name) => `--property=${name}`))
    const values = new Map(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/s, 2) as [string, string]),
    )
    return names.map((name) => values.get(name) ?? '')
  }

  /** Turns the machine off, orderly or not, and removes its control groups. */
  async turnOff(how: 'orderly' | 'at once'): Promise<void> {
    const boot = this.#boot
    this.#boot = null
    if (boot === null) return
    const ended = boot.exitCode === null ? once(boot, 'exit') : Promise.resolve()
    if (how === 'orderly') await this.run('systemctl', 'poweroff', '--no-wall').catch(() => 'it is gone before it answers')
    else if (this.#init > 0) process.kill(this.#init, 'SIGKILL')
    else boot.kill('SIGKILL')
    await ended
    const script = 'mount -t cgroup2 cgroup2 /mnt && find "/mnt/$0" -depth -type d -exec rmdir {} +'
    await until('its control groups are empty', () =>
      run('unshare', ['--mount', 'sh', '-euc', script, this.#group]).then(
        () => true,
        () => null,
      ),
    )
    this.#init = 0
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

/** Empty for a process that has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH')) return ''
    throw error
  }
}

function toOutput(error: unknown): Output {
  if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string') return { stdout: error.stdout, stderr: '' }
  throw error
}
