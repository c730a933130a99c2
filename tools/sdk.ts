import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readApiDocument } from './docs/api-document.ts'
import { GENERATED, generateTypescript } from './sdk/generate-typescript.ts'

/** Writes the generated part of the SDKs: `npm run sdk`, also a part of `npm run docs`. */
const root = resolve(import.meta.dirname, '..')
const files = await generateTypescript(await readApiDocument())
rmSync(join(root, GENERATED), { recursive: true, force: true })
for (const [name, text] of files) {
  const file = join(root, GENERATED, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
process.stdout.write(`${GENERATED}: ${files.size} files\n`)
