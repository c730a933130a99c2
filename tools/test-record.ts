import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..')
const FILE = join(ROOT, 'node_modules', '.cache', 'tests-passed.json')

/** A whole test run in which nothing failed. */
export interface PassedRun {
  /** Of the tree that was tested, as by `fingerprintOfTree`. */
  fingerprint: string
  files: number
  tests: number
  at: string
}

/**
 * What decides how a test run ends, as far as the tree tells: every file that is not ignored, the runtime, and the documents beside the
 * project. Null where git cannot list the files.
 */
export async function fingerprintOfTree(root = ROOT): Promise<string | null> {
  const listed = await listFiles(root)
  if (!listed) return null
  const hash = createHash('sha256').update(`${process.version} ${process.platform} ${existsSync(join(root, '..', 'shared'))}\0`)
  for (const file of listed) {
    // A file that was deleted and not yet committed is listed too.
    const content = await readFile(join(root, file)).catch(() => null)
    if (content) hash.update(`${file}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

/** The last whole run in which nothing failed, if there was one. */
export async function readPassedRun(): Promise<PassedRun | null> {
  const text = await readFile(FILE, 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as PassedRun)
}

export async function keepPassedRun(passed: PassedRun): Promise<void> {
  await mkdir(dirname(FILE), { recursive: true })
  await writeFile(FILE, JSON.stringify(passed))
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
