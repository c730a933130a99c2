import { readFile, writeFile } from 'node:fs/promises'
import { readOutline } from '../test/connect/kit/outline.ts'
import { SCRIPT_BOOK, SCRIPTS_BEGIN, type Scripts, writeScripts } from '../test/connect/kit/script-book.ts'
import { openTour } from '../test/connect/kit/tour.ts'
import { PAGES } from '../test/connect/kit/ways.ts'
import { openTestPostgres } from '../test/harness/global-setup.ts'

/** Writes anew what a screen reader says on each page of the owner, in both languages: `npm run accessibility`. The head of the document stays. */
const LOCALES = ['en-CA', 'fr-CA'] as const

const postgres = await openTestPostgres()
process.env.TEST_POSTGRES_URL = postgres.url
const tour = await openTour()
try {
  const scripts: Scripts = {}
  for (const name of PAGES) {
    const byLocale: Record<string, string[]> = {}
    for (const locale of LOCALES) {
      const { page, context } = await tour.visit({ locale })
      await tour.ways[name]?.(page)
      byLocale[locale] = await readOutline(page, locale)
      await context.close()
    }
    scripts[name] = byLocale
    process.stdout.write(`${name}\n`)
  }
  const [head = ''] = (await readFile(SCRIPT_BOOK, 'utf8')).split(SCRIPTS_BEGIN)
  await writeFile(SCRIPT_BOOK, `${head}${SCRIPTS_BEGIN}${writeScripts(scripts)}`)
} finally {
  await tour.close()
  await postgres.close()
}
