import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { reasonOf } from '../../model/texts/reason-of.ts'

type Explain = (path: string) => string

/** Sentences about a path, by the code of the system’s error. */
const EXPLAINED: Readonly<Record<string, Explain>> = {
  ENOENT: (path) => (existsSync(dirname(path)) ? `${path} does not exist` : `the folder ${dirname(path)} does not exist`),
  EACCES: (path) => `this user may not open ${path} (EACCES)`,
  EPERM: (path) => `this user may not open ${path} (EPERM)`,
  EROFS: (path) => `${path} is on a disk that cannot be written (EROFS)`,
  EISDIR: (path) => `${path} is a folder, not a file`,
  ENOTDIR: (path) => `${dirname(path)} is a file, not a folder`,
  EEXIST: (path) => `${path} exists, and is not replaced`,
  ENOSPC: (path) => `the disk of ${path} is full`,
}
/** Where the system does not say which path: the file that the command was given. */
const THE_FILE = 'the given path'

/** Reason why a command failed; an error of the system about a file as a sentence. */
export function explainFailure(error: unknown): string {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error) || 'address' in error) return reasonOf(error)
  const explain = EXPLAINED[String(error.code)]
  const path = 'path' in error && typeof error.path === 'string' ? error.path : null
  if (!explain || (path === null && error.code === 'ENOENT')) return reasonOf(error)
  return explain(path ?? THE_FILE)
}
