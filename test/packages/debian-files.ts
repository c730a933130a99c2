import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files that Debian creates when its packages are installed. */
const MADE = ['bin', 'lib', 'lib64', 'sbin', 'etc/passwd', 'etc/group', 'etc/ssl/certs/ca-certificates.crt', 'usr/bin/sh']

const FIELDS = ['Package', 'db:Status-Status', 'Pre-Depends', 'Depends']

/** Archives the files of this machine's Debian packages, without documents. */
export function archivePackages(packages: readonly string[], folder: string, archive: string): void {
  mkdirSync(folder, { recursive: true })
  const files = dpkgQuery('--listfiles', ...packages)
    .filter((file) => /^\/(usr|bin|sbin|lib|lib64|etc)\//.test(file))
    .filter((file) => !/^\/usr\/share\/(doc|man|locale|lintian)\//.test(file))
  writeFileSync(join(folder, 'list'), [...new Set([...MADE, ...files.map((file) => realPathOf(file).slice(1))])].join('\n'))
  execFileSync('tar', [
    '--create',
    '--no-recursion',
    '--hard-dereference',
    '--ignore-failed-read',
    '--directory',
    '/',
    '--files-from',
    join(folder, 'list'),
    '--file',
    archive,
  ])
}

/** The packages and their dependencies, as installed on this machine. */
export function listNeeded(packages: readonly string[]): string[] {
  const wanted = [...packages]
  const installed = new Map(
    dpkgQuery('--show', `--showformat=${FIELDS.map((field) => `\${${field}}`).join('\\t')}\\n`)
      .map((line) => line.split('\t'))
      .filter(([, status]) => status === 'installed')
      .map(([name = '', , ...needs]) => [name, needs.join(', ')]),
  )
  const found = new Set<string>()
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    const needs = installed.get(name)
    if (found.has(name) || needs === undefined) continue
    found.add(name)
    // Of alternative dependencies, all that are installed.
    wanted.push(...[...needs.matchAll(/([a-z0-9][a-z0-9+.-]+)(?::\w+)?(?: \([^)]*\))?(?=,|\||$| )/g)].map(([, needed = '']) => needed))
  }
  return [...found].sort()
}

export function dpkgQuery(...args: string[]): string[] {
  return execFileSync('dpkg-query', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).split('\n')
}

/** Resolves a merged `/lib`: a path through the link would be stored as a folder. */
function realPathOf(file: string): string {
  return file.replace(/^\/(lib|lib64|bin|sbin)\//, '/usr/$1/')
}
