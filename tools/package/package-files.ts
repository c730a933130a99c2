import { basename } from 'node:path'

/** Root folders of a package for its developers and readers. */
const FOLDERS = /^(\.[^/]+|__tests__|bench|benchmarks?|coverage|docs?|examples?|scripts?|tests?|typings|website)(\/|$)/
const NAMES = /^(\..*|makefile|cname|tsconfig.*\.json|eslint\.config\..*|bower\.json|install\.js|karma\.conf\.js)$/i
const ENDINGS = /\.(md|markdown|map|ts|mts|cts|tsx|flow|ya?ml|sh|bat|ps1|c|cc|cpp|h|gypi?|patch|tgz|ico|exe|html)$/i
const LICENCES = /^(licen[cs]e|notice|copying|authors)/i

/** Whether the text is one that must be kept with copies of the package. */
export function isLicence(path: string): boolean {
  return LICENCES.test(basename(path))
}

/**
 * Whether a package works without this file: source maps, types, documents, tests. `path` is relative to the package.
 * Node loads no TypeScript from `node_modules`, so none of it is needed.
 */
export function isUnused(path: string): boolean {
  if (path === '' || isLicence(path)) return false
  return FOLDERS.test(path) || NAMES.test(basename(path)) || ENDINGS.test(path)
}
