import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { archivePackages } from './debian-files.ts'

const run = promisify(execFile)

/** Debian packages of the base, besides glibc and Node's libraries: a shell, users, certificate authorities. */
const BASE_PACKAGES = ['base-files', 'libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1', 'dash', 'ca-certificates', 'tzdata']
/** Limits that differ between machines, where a process may not raise them. */
const LIMITS = '[containers]\ndefault_ulimits = ["nofile=4096:4096", "nproc=1000:1000"]\n'
const PROGRAMS = ['podman', 'runc', 'dpkg-query']
/** Path of a program of this machine, or null. */
export const findOnPath = (name: string): string | null =>
  (process.env.PATH ?? '')
    .split(':')
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path)) ?? null
export const isOnPath = (name: string) => findOnPath(name) !== null
export const missingPrograms = PROGRAMS.filter((name) => !isOnPath(name))

/** Podman with a separate store, that a test removes. */
export class Podman {
  readonly options: readonly string[]
  readonly environment: Record<string, string>

  constructor(folder: string) {
    const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs', '--runtime', 'runc']
    this.options = [...store, '--cgroup-manager', 'cgroupfs', '--events-backend', 'none']
    const settings = join(folder, 'containers.conf')
    writeFileSync(settings, LIMITS)
    // Without systemd, health checks are run by whoever asks for them.
    this.environment = { CONTAINERS_CONF: settings, DISABLE_HC_SYSTEMD: 'true' }
  }

  async run(...args: string[]): Promise<string> {
    return (await run('podman', [...this.options, ...args], { env: { ...process.env, ...this.environment } })).stdout.trim()
  }

  /** Builds a base image from the Debian packages installed on this machine, so that no registry is needed. */
  async makeBase(tag: string, folder: string): Promise<void> {
    const archive = join(folder, 'base.tar')
    archivePackages(BASE_PACKAGES, folder, archive)
    await this.run('import', '--quiet', archive, tag)
  }
}

/** Lines of `/proc/PID/status` of a container’s first process. */
export function readStatus(pid: number): Record<string, string> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').split('\n')
  return Object.fromEntries(lines.map((line) => [line.split(':')[0] ?? '', line.split(':')[1]?.trim() ?? '']))
}
