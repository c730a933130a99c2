/**
 * Finds the bundle of the service, in which the code is a few files instead of a thousand. Plain JavaScript: loading what
 * strips types takes 40 ms, and nothing else needs it.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
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
  const current = readCurrent(join(bundlesOf(root), CURRENT))
  if (current === null) return null
  const { name, sha256, files } = current
  const bundle = join(bundlesOf(root), name)
  if (!existsSync(join(bundle, ENTRY))) return null
  const isUntouched = files.every(([path, size, mtimeMs, ctimeMs]) => {
    const found = statSync(join(root, path), { throwIfNoEntry: false })
    return found?.size === size && found.mtimeMs === mtimeMs && found.ctimeMs === ctimeMs
  })
  const paths = files.map(([path]) => path)
  return isUntouched || hashFiles(root, paths) === sha256 ? bundle : null
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
