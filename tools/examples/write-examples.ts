import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readExamples } from '../../src/api/reference/reference-examples.ts'
import { openTestPostgres } from '../../test/harness/global-setup.ts'
import { EXAMPLES, listExamples, printExamples } from './examples.ts'

/** Writes the examples of the API's documents from answers of a running service: a part of `npm run docs`. */
const { url, close } = await openTestPostgres()
process.env.TEST_POSTGRES_URL = url
try {
  writeFileSync(resolve(import.meta.dirname, '../..', EXAMPLES), printExamples(await listExamples(await readExamples())))
  process.stdout.write(`${EXAMPLES}\n`)
} finally {
  await close()
}
