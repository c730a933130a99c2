import { basename } from 'node:path'

/** Folders at the root of a package that hold what its makers need, and those who read about it. */
const FOLDERS = /^(\.[^/]+|__tests__|bench|benchmarks?|coverage|docs?|examples?|scripts?|tests?|typings|website)(\/|$)/
const NAMES = /^(\..*|makefile|cname|tsconfig.*\.json|eslint\.config\..*|bower\.json|install\.js|karma\.conf\.js)$/i
const ENDINGS = /\.(md|markdown|map|ts|mts|cts|tsx|flow|ya?ml|sh|bat|ps1|c|cc|cpp|h|gypi?|patch|tgz|ico|exe|html)$/i
const LICENCES = /^(licen[cs]e|notice|copying|authors)/i

/** Whether the text is one that a package wants to be kept with its copies. */
export function isLicence(path: string): boolean {
  return LICENCES.test(basename(path))
}

/**
 * Whether a package is used without this file: no source maps, types, documents, tests. `path` is relative to the
 * package. Node loads no TypeScript out of `node_modules`, so none of it is missed.
 */
export function isUnused(path: string): boolean {
  if (path === '' || isLicence(path)) return false
  return FOLDERS.test(path) || NAMES.test(basename(path)) || ENDINGS.test(path)
}
