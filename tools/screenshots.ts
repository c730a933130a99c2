import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { resolve } from 'node:path'
import { makeSights } from '../test/portal/sights.ts'
import { openPortalStage, settle } from '../test/portal/stage.ts'

/**
 * Pictures of every page of the portal, in both languages and themes and on a phone: `npm run screenshots [folder [page…]]`. It starts a
 * service of its own, fills it, and takes everything away again.
 */
const [folder = 'screenshots', ...wanted] = process.argv.slice(2)
const LOCALES = ['en-CA', 'fr-CA'] as const
const THEMES = ['light', 'dark'] as const

const receiver = createServer((_request, response) => response.writeHead(204).end()).listen(0, '127.0.0.1')
await new Promise((listening) => receiver.once('listening', listening))
const address = receiver.address()
const port = address !== null && typeof address === 'object' ? address.port : 0
const stage = await openPortalStage()
try {
  const sights = { ...(await makeSights(stage, `http://127.0.0.1:${port}/events`)), 'sign-in': null }
  await mkdir(folder, { recursive: true })
  for (const locale of LOCALES) {
    for (const [name, path] of Object.entries(sights)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue
      const { page, context } = await stage.visit({ locale, isSignedIn: path !== null })
      await stage.go(page, path ?? '/')
      for (const colorScheme of THEMES) {
        for (const [size, width] of [
          ['wide', 1280],
          ['phone', 320],
        ] as const) {
          await page.setViewportSize({ width, height: 800 })
          await page.emulateMedia({ colorScheme })
          await settle(page)
          await page.screenshot({ path: resolve(folder, `${name}-${locale}-${colorScheme}-${size}.png`), fullPage: true })
        }
      }
      process.stdout.write(`${name} ${locale}\n`)
      await context.close()
    }
  }
} finally {
  await stage.close()
  receiver.close()
}
