import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readServedDocuments } from './api-document.ts'

const FOLDER = resolve(import.meta.dirname, '../../docs/api')

/** Records the API's documents as those of the release, with which later ones are compared. */
export async function recordDocuments(folder = FOLDER): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(await readServedDocuments())) writeFileSync(resolve(folder, `${name}.json`), `${text}\n`)
}

// `npm run api-release`, for a change that breaks what no release has yet.
if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await recordDocuments()
