import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { COLLECTIONS, listCollections } from './collections.ts'

/** Writes the collections for Postman and Bruno: a part of `npm run docs`. */
const folder = resolve(import.meta.dirname, '../..', COLLECTIONS)
const files = await listCollections()
rmSync(folder, { recursive: true, force: true })
for (const [path, text] of files) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
process.stdout.write(`${COLLECTIONS}: ${files.size} files\n`)
