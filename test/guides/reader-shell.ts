import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { findOnPath } from '../packages/podman.ts'

const run = promisify(execFile)
const CHECKOUT = resolve(import.meta.dirname, '..', '..')

/**
 * npm with the packages of this checkout: `npm ci` only wants a lock file, and a prune, which would delete them, is
 * tried without a change. Everything else is npm itself.
 */
const OFFLINE_NPM = `#!/bin/sh
case "$*" in
  ci) test -e package-lock.json && { test -e node_modules || exec ln -s ${CHECKOUT}/node_modules node_modules; } ;;
  "prune --omit=dev") exec real-npm "$@" --dry-run --offline --silent ;;
  *) exec real-npm "$@" ;;
esac
`

/** A clone of this tree as it is, with what is not committed yet. It shares the built pages. */
const CLONE = `#!/bin/sh
set -e
test "$1 $2" = "clone REPOSITORY"
mkdir "$3"
mkdir -p "${CHECKOUT}/dist"
cd ${CHECKOUT}
real-git ls-files -z --cached --others --exclude-standard |
  tar --create --null --files-from=- --ignore-failed-read --warning=no-failed-read |
  tar --extract --directory="$3"
ln -s ${CHECKOUT}/dist "$3/dist"
`

/** A shell of a reader of the guides, whose `git` and `npm` need no network. */
export interface ReaderShell {
  /** Folder of programs that come before those of the machine. */
  bin: string
  /** With these programs before those of the machine. */
  PATH: string
  /** Runs commands as written; returns what they print. */
  run(commands: string, options?: { cwd?: string; env?: Readonly<Record<string, string>> }): Promise<string>
  /** Adds a program. One of the machine with this name is `real-NAME`. */
  add(name: string, script: string): Promise<void>
  /** Adds `countinghouse` of this checkout. */
  addCommand(): Promise<void>
}

/** `env`: environment of all commands but for their PATH. */
export async function openReaderShell(folder: string, env: NodeJS.ProcessEnv = process.env): Promise<ReaderShell> {
  const bin = join(folder, 'reader-bin')
  const PATH = [bin, dirname(process.execPath), process.env.PATH].join(':')
  await mkdir(bin, { recursive: true })
  const add = async (name: string, script: string) => {
    const program = findOnPath(name)
    if (program !== null) await symlink(program, join(bin, `real-${name}`))
    await writeFile(join(bin, name), script, { mode: 0o755 })
  }
  for (const [name, script] of Object.entries({ npm: OFFLINE_NPM, git: CLONE })) await add(name, script)
  return {
    bin,
    PATH,
    add,
    addCommand: async () => await symlink(join(CHECKOUT, 'bin', 'countinghouse.js'), join(bin, 'countinghouse')),
    run: async (commands, { cwd, env: more } = {}) => {
      const options = { cwd, env: { ...env, ...more, PATH }, timeout: 240_000, maxBuffer: 32 * 1024 * 1024 }
      const { stdout, stderr } = await run('/bin/sh', ['-euc', commands], options)
      return stdout + stderr
    },
  }
}
