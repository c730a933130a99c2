import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..')
const CACHE = join(ROOT, 'node_modules', '.cache')
const PASSED = join(CACHE, 'tests-passed.json')
const FAILED = join(CACHE, 'tests-failed.json')

/** A full test run without failures. */
export interface PassedRun {
  /** Fingerprint of the tested tree, by `fingerprintOfTree`. */
  fingerprint: string
  files: number
  tests: number
  at: string
}

/** A full test run with failures. */
export interface FailedRun extends PassedRun {
  /** Paths in the project of the files that failed. */
  failed: string[]
}

/**
 * Everything that determines the result of a test run: every file that is not ignored, the runtime, and the documents
 * outside the repository. Null if git cannot list the files.
 */
export async function fingerprintOfTree(root = ROOT): Promise<string | null> {
  const listed = await listFiles(root)
  if (!listed) return null
  const hash = createHash('sha256').update(`${process.version} ${process.platform} ${existsSync(join(root, '..', 'shared'))}\0`)
  for (const file of listed) {
    // A deleted file that is not committed yet is listed too.
    const content = await readFile(join(root, file)).catch(() => null)
    if (content) hash.update(`${file}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

/** The last full run without failures, if any. */
export const readPassedRun = async () => (await read(PASSED)) as PassedRun | null

/** The last full run with failures, if any. */
export const readFailedRun = async () => (await read(FAILED)) as FailedRun | null

export const keepPassedRun = async (run: PassedRun) => await keep(PASSED, run)
export const keepFailedRun = async (run: FailedRun) => await keep(FAILED, run)

/** More are no accident of a busy machine. */
const MOST_AGAIN = 5

/** The files that a failed run of this tree leaves to be run again, or why there are none. */
export function filesToRunAgain(run: FailedRun | null, fingerprint: string | null): readonly string[] | string {
  if (!run || run.fingerprint !== fingerprint) return 'No full test run has failed on exactly this tree.'
  const count = run.failed.length
  return count > MOST_AGAIN ? `${count} files failed: more than a busy machine explains.` : run.failed
}

async function read(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch(() => null)
  return text === null ? null : JSON.parse(text)
}

async function keep(file: string, record: PassedRun): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, JSON.stringify(record))
}

async function listFiles(root: string): Promise<string[] | null> {
  try {
    const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      maxBuffer: 64 * 1024 * 1024,
    })
    return [...new Set(stdout.split('\0'))].filter((file) => file !== '').sort()
  } catch {
    return null
  }
}
