import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { hasCode } from '../src/model/error-code.ts'
import { readApiDocument } from './docs/api-document.ts'
import { generatePython, PYTHON_GENERATED, PYTHON_PROGRAM } from './sdk/generate-python.ts'
import { GENERATED, generateTypescript } from './sdk/generate-typescript.ts'

/**
 * Writes the generated part of the SDKs: `npm run sdk [FOLDER]`, also a part of `npm run docs`. Without the program for
 * Python its part stays as it is, and `test/sdk/python.test.ts` fails in CI when that is stale.
 */
const root = resolve(process.argv[2] ?? join(import.meta.dirname, '..'))
const document = await readApiDocument()
write(GENERATED, await generateTypescript(document))
try {
  write(PYTHON_GENERATED, await generatePython(document))
} catch (error) {
  if (!hasCode(error, 'ENOENT')) throw error
  process.stderr.write(
    `${PYTHON_GENERATED}: NOT WRITTEN, because there is no ${PYTHON_PROGRAM} on the path; .ci/run installs it. CI fails when it is stale.\n`,
  )
}

function write(folder: string, files: Map<string, string>): void {
  rmSync(join(root, folder), { recursive: true, force: true })
  for (const [name, text] of files) {
    const file = join(root, folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  process.stdout.write(`${folder}: ${files.size} files\n`)
}
