import { execFile } from 'node:child_process'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const CHECKOUT = resolve(import.meta.dirname, '..', '..')

/**
 * npm with the packages of this checkout: \`npm ci\` only wants a lock file, and a prune, which would delete them, is
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

/** A shell of a reader of the guides, whose \`git\` and \`npm\` need no network. */
export interface ReaderShell {
  /** Folder of programs that come before those of the machine. */
  bin: string
  /** Runs commands as written; returns what they print. */
  run(commands: string, options: { cwd: string; env?: Readonly<Record<string, string>> }): Promise<string>
  /** Adds a program. */
  add(name: string, script: string): Promise<void>
}

export async function openReaderShell(folder: string): Promise<ReaderShell> {
  const bin = join(folder, 'reader-bin')
  await mkdir(bin, { recursive: true })
  const add = async (name: string, script: string) => {
    await writeFile(join(bin, name), script)
    await chmod(join(bin, name), 0o755)
  }
  for (const [name, script] of Object.entries({ npm: OFFLINE_NPM, git: CLONE })) {
    const { stdout: program } = await run('sh', ['-c', `command -v ${name}`])
    await symlink(program.trim(), join(bin, `real-${name}`))
    await add(name, script)
  }
  return {
    bin,
    add,
    run: async (commands, { cwd, env = {} }) => {
      const PATH = [bin, dirname(process.execPath), process.env.PATH].join(':')
      const options = { cwd, env: { ...process.env, ...env, PATH }, timeout: 240_000, maxBuffer: 32 * 1024 * 1024 }
      const { stdout, stderr } = await run('/bin/sh', ['-euc', commands], options)
      return stdout + stderr
    },
  }
}
