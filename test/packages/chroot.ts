import { execFile, execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from '../process/deadline.ts'
import { archivePackages, dpkgQuery, listNeeded } from './debian-files.ts'
import { isOnPath } from './podman.ts'

const run = promisify(execFile)

/** Debian's essential packages, and what the service's package depends on. */
const PACKAGES =
  'adduser base-files base-passwd bash bsdutils ca-certificates coreutils dash debianutils diffutils dpkg findutils grep gzip hostname init-system-helpers libatomic1 libc-bin libstdc++6 login ncurses-base ncurses-bin passwd perl-base sed sysvinit-utils tar util-linux'
const INFO = '/var/lib/dpkg/info'
const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' }
/** Enters a separate mount namespace, which ends with the last process in it. */
const ENTER = 'mount --rbind /dev "$0/dev" && mount --rbind /proc "$0/proc" && exec chroot "$0" "$@"'

/** Why this machine cannot install a package in a folder; null if it can, or if CI is set, so that the tests fail. */
export async function findChrootFault(): Promise<string | null> {
  if (process.env.CI === 'true') return null
  const missing = ['dpkg-deb', 'dpkg-query', 'strip', 'unshare', 'adduser'].filter((name) => !isOnPath(name))
  if (missing.length > 0) return `no ${missing.join(', ')}`
  return await run('unshare', ['--mount', 'chroot', '/', 'true']).then(
    () => null,
    (error: unknown) => `no chroot can be entered: ${error}`,
  )
}

export interface Output {
  stdout: string
  stderr: string
}

/**
 * A Debian installation in a test's folder, from the packages installed on this machine, so that no mirror is needed.
 */
export class Chroot {
  readonly root: string

  readonly #more: readonly string[]

  /** `more`: packages besides those that the service's package needs. */
  constructor(root: string, more: readonly string[] = []) {
    this.root = root
    this.#more = more
  }

  path(inside: string): string {
    return join(this.root, inside)
  }

  make(): void {
    const packages = listNeeded([...PACKAGES.split(' '), ...this.#more])
    const archive = `${this.root}.tar`
    mkdirSync(this.root)
    archivePackages(packages, `${this.root}.list`, archive)
    execFileSync('tar', ['--extract', '--directory', this.root, '--file', archive])
    for (const folder of [
      'dev',
      'proc',
      'run',
      'tmp',
      'root',
      'var/lib/dpkg/info',
      'var/lib/dpkg/updates',
      'var/cache',
      'var/log',
      'etc/systemd/system',
    ])
      mkdirSync(this.path(folder), { recursive: true })
    // Users of a new Debian, not of this machine.
    for (const name of ['passwd', 'group']) copyFileSync(`/usr/share/base-passwd/${name}.master`, this.path(`etc/${name}`))
    for (const name of ['shadow', 'gshadow']) writeFileSync(this.path(`etc/${name}`), '', { mode: 0o600 })
    writeFileSync(this.path('var/lib/dpkg/status'), dpkgQuery('--status', ...packages).join('\n'))
    writeFileSync(this.path('var/lib/dpkg/available'), '')
    for (const name of readdirSync(INFO)) {
      const [, owner = ''] = /^([^:]+?)(?::\w+)?\.\w+$/.exec(name) ?? []
      if (packages.includes(owner) || name === 'format') copyFileSync(join(INFO, name), this.path(join(INFO, name)))
    }
  }

  /** Runs a program in it as root; throws with its output if it fails. */
  async run(...command: string[]): Promise<Output> {
    return await run('unshare', ['--mount', 'sh', '-c', ENTER, this.root, ...command], { env: ENVIRONMENT, maxBuffer: 16 * 1024 * 1024 })
  }

  read(inside: string): string {
    return readFileSync(this.path(inside), 'utf8')
  }
}

/** Waits until the service's roles in it are ready, by the ports of their metrics; throws with the log of one that is not. */
export async function untilReady(chroot: Chroot, metrics: Readonly<Record<string, number>>): Promise<void> {
  for (const [role, port] of Object.entries(metrics))
    await until(`${role} is ready`, async () => ((await readyz(port)) === 200 ? true : null), 40_000).catch((error: unknown) => {
      throw new Error(chroot.read(`run/${role}.log`), { cause: error })
    })
}

/** Status of `/readyz` at a port of metrics; null if nothing listens there. */
export async function readyz(port: number): Promise<number | null> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
  return answer?.status ?? null
}
