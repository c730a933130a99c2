/**
 * Finds the bundle of the service, in which the code is a few files instead of a thousand. Plain JavaScript: loading what
 * strips types takes 40 ms, and nothing else needs it.
 */
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Name of the file, in the folder of bundles, that describes the newest one. */
export const CURRENT = 'current.json'

/** File of a bundle that runs the command. */
export const ENTRY = 'countinghouse.js'

/** Folder of the bundles of a tree. */
export function bundlesOf(root) {
  return join(root, 'dist', 'service')
}

/**
 * Folder of the bundle of the files that the tree has now; null if there is none, if it was made of others, or if it
 * was taken away. Files with the recorded size and times are not read.
 */
export function findBundle(root) {
  return compare(root)?.bundle ?? null
}

/**
 * As `findBundle`. Where files have other times and the same contents, as in a copy of a tree, their times are recorded,
 * so that the next start need not read them; where nothing can be written, it does.
 */
export function rememberBundle(root) {
  const found = compare(root)
  if (found?.seen) record(root, { ...found.current, files: found.seen })
  return found?.bundle ?? null
}

/** Null where the bundle is not that of the tree; `seen`: its files, where they differ in times from the record. */
function compare(root) {
  const current = readCurrent(join(bundlesOf(root), CURRENT))
  if (current === null) return null
  const { name, sha256, files } = current
  const bundle = join(bundlesOf(root), name)
  if (!existsSync(join(bundle, ENTRY))) return null
  if (files.every((file) => isSame(file, describe(root, file[0])))) return { bundle, current, seen: null }
  // Before their contents are read: a file that changes afterwards differs from what is recorded.
  const seen = files.map(([path]) => describe(root, path))
  const paths = files.map(([path]) => path)
  return hashFiles(root, paths) === sha256 ? { bundle, current, seen } : null
}

function describe(root, path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false })
  return [path, found?.size, found?.mtimeMs, found?.ctimeMs]
}

function isSame([, ...recorded], [, ...found]) {
  return recorded.every((value, index) => value === found[index])
}

/** A reader sees the former record or this one, which the same users may read. */
function record(root, current) {
  const path = join(bundlesOf(root), CURRENT)
  const draft = `${path}.${process.pid}`
  try {
    writeFileSync(draft, JSON.stringify(current))
    chmodSync(draft, statSync(path).mode & 0o777)
    renameSync(draft, path)
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOENT'].includes(error.code)) throw error
  }
}

/** Hash of the paths and contents of these files of a tree; null if one is missing. */
export function hashFiles(root, paths) {
  const hash = createHash('sha256')
  try {
    for (const path of paths)
      hash
        .update(`${path}\0`)
        .update(readFileSync(join(root, path)))
        .update('\0')
  } catch (error) {
    if (error.code === 'ENOENT') return null
    throw error
  }
  return hash.digest('hex')
}

function readCurrent(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    // A loss of power may have left half a file, and another user one that is not for everybody. The sources are complete.
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(error.code) || error instanceof SyntaxError) return null
    throw error
  }
}
