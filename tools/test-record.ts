import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..')
const FILE = join(ROOT, 'node_modules', '.cache', 'tests-passed.json')

/** A full test run without failures. */
export interface PassedRun {
  /** Fingerprint of the tested tree, by `fingerprintOfTree`. */
  fingerprint: string
  files: number
  tests: number
  at: string
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
