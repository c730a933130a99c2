import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Debian packages of the base, besides glibc and Node's libraries: a shell, users, certificate authorities. */
const BASE_PACKAGES = ['base-files', 'libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1', 'dash', 'ca-certificates', 'tzdata']
/** What Debian sets up when these packages are installed. */
const MADE = ['bin', 'lib', 'lib64', 'sbin', 'etc/passwd', 'etc/group', 'etc/ssl/certs/ca-certificates.crt', 'usr/bin/sh']

const PROGRAMS = ['podman', 'runc', 'dpkg-query']
const isOnPath = (name: string) => (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, name)))
export const missingPrograms = PROGRAMS.filter((name) => !isOnPath(name))

/** Podman with a store of its own, that a test removes. */
export class Podman {
  readonly #options: string[]

  constructor(folder: string) {
    this.#options = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs', '--runtime', 'runc']
    this.#options.push('--cgroup-manager', 'cgroupfs', '--events-backend', 'none')
  }

  async run(...args: string[]): Promise<string> {
    return (await run('podman', [...this.#options, ...args])).stdout.trim()
  }

  /** A base image of the Debian packages that this machine has installed, so that no registry is asked. */
  async makeBase(tag: string, folder: string): Promise<void> {
    mkdirSync(folder, { recursive: true })
    const files = execFileSync('dpkg-query', ['--listfiles', ...BASE_PACKAGES], { encoding: 'utf8' })
      .split('\n')
      .filter((file) => /^\/(usr|bin|sbin|lib|lib64)\//.test(file))
      .filter((file) => !/^\/usr\/share\/(doc|man|locale|lintian)\//.test(file))
    writeFileSync(join(folder, 'list'), [...new Set([...MADE, ...files.map((file) => realPathOf(file).slice(1))])].join('\n'))
    execFileSync('tar', [
      '--create',
      '--no-recursion',
      '--hard-dereference',
      '--directory',
      '/',
      '--files-from',
      join(folder, 'list'),
      '--file',
      join(folder, 'base.tar'),
    ])
    await this.run('import', '--quiet', join(folder, 'base.tar'), tag)
  }
}

/** Of a merged `/lib`: a path through its link would be stored as a folder. */
function realPathOf(file: string): string {
  return file.replace(/^\/(lib|lib64|bin|sbin)\//, '/usr/$1/')
}

/** Lines of `/proc/PID/status` of a container’s first process. */
export function readStatus(pid: number): Record<string, string> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').split('\n')
  return Object.fromEntries(lines.map((line) => [line.split(':')[0] ?? '', line.split(':')[1]?.trim() ?? '']))
}
