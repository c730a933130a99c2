import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { destinationErrorInFrench } from '../../src/portal/texts/messages/destination-errors.ts'

const SOURCE = join(import.meta.dirname, '../../src')
const FILES = [
  ...['egress/postgres.ts', 'egress/ssh.ts', 'sync/replication/target.ts', 'sync/replication/replicate.ts', 'sync/exports/run-export.ts'],
  ...['sync/exports/deliver-export.ts', 'sync/exports/open-object.ts', 'object-storage/s3-object.ts'],
  'sync/exports/sftp-storage.ts',
]
/** Sentences, and reasons of SSH connections, which become sentences. */
const TEXTS = /(['`])((?:[A-Z][a-z]+ [^'`\n]*\.)|the server [^'`\n]*)\1/g

it('what becomes of exports and destinations is said in French', () => {
  const found = FILES.flatMap((file) => [...readFileSync(join(SOURCE, file), 'utf8').matchAll(TEXTS)].map(([, , text = '']) => text))
  const texts = [...new Set(found)].map((text) => {
    const filled = text.replace(/\$\{status\}.*\}/, '404 (NoSuchBucket)').replace(/\$\{[^}]*\}/g, 'X1')
    return /^the server/.test(filled) ? `T${filled.slice(1)}.` : filled
  })
  expect(texts.length).toBeGreaterThan(30)
  expect(texts.filter((text) => destinationErrorInFrench(text) === null)).toEqual([])
})
