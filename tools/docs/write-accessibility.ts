import { readFile, writeFile } from 'node:fs/promises'
import { openBrowserHarness } from '../../test/connect/kit/browser-harness.ts'
import { readOutline } from '../../test/connect/kit/outline.ts'
import { PAGES } from '../../test/connect/kit/page-routes.ts'
import { SCREEN_READER_SCRIPTS, SCRIPTS_BEGIN, type Scripts, writeScripts } from '../../test/connect/kit/screen-reader-scripts.ts'
import { openTestPostgres } from '../../test/harness/global-setup.ts'

/**
 * Rewrites the screen reader output of each owner page in both languages: `npm run accessibility`. The head of the
 * document is kept.
 */
const LOCALES = ['en-CA', 'fr-CA'] as const

const postgres = await openTestPostgres()
process.env.TEST_POSTGRES_URL = postgres.url
const tour = await openBrowserHarness()
try {
  const scripts: Scripts = {}
  for (const name of PAGES) {
    const byLocale: Record<string, string[]> = {}
    for (const locale of LOCALES) {
      const { page, context } = await tour.visit({ locale })
      await tour.routes[name]?.(page)
      byLocale[locale] = await readOutline(page, locale)
      await context.close()
    }
    scripts[name] = byLocale
    process.stdout.write(`${name}\n`)
  }
  const [head = ''] = (await readFile(SCREEN_READER_SCRIPTS, 'utf8')).split(SCRIPTS_BEGIN)
  await writeFile(SCREEN_READER_SCRIPTS, `${head}${SCRIPTS_BEGIN}${writeScripts(scripts)}`)
} finally {
  await tour.close()
  await postgres.close()
}
