import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readServedDocuments } from './api-document.ts'

/** `npm run api-release`: records the API's documents as those of the release, with which later ones are compared. */
const folder = resolve(import.meta.dirname, '../../docs/api')
mkdirSync(folder, { recursive: true })
for (const [name, text] of Object.entries(await readServedDocuments())) writeFileSync(resolve(folder, `${name}.json`), `${text}\n`)
