import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { archivePackages } from './debian-files.ts'

const run = promisify(execFile)

/** Debian packages of the base, besides glibc and Node's libraries: a shell, users, certificate authorities. */
const BASE_PACKAGES = ['base-files', 'libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1', 'dash', 'ca-certificates', 'tzdata']
const PROGRAMS = ['podman', 'runc', 'dpkg-query']
export const isOnPath = (name: string) => (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, name)))
export const missingPrograms = PROGRAMS.filter((name) => !isOnPath(name))

/** Podman with a separate store, that a test removes. */
export class Podman {
  readonly #options: string[]

  constructor(folder: string) {
    this.#options = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs', '--runtime', 'runc']
    this.#options.push('--cgroup-manager', 'cgroupfs', '--events-backend', 'none')
  }

  async run(...args: string[]): Promise<string> {
    return (await run('podman', [...this.#options, ...args])).stdout.trim()
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
