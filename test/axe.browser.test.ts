import { describe, expect, it } from 'vitest'
import { listViolationsInBothThemes } from './harness/axe.ts'
import { browserNote, lacksBrowser, openBrowser } from './harness/browser.ts'
import { openForTests } from './harness/for-tests.ts'

const pageWith = (inDark: string) => `<!doctype html><html lang="en"><head><title>Page</title><style>
  body { color: #111; background: #fff }
  @media (prefers-color-scheme: dark) { ${inDark} }
</style></head><body><main><h1>Heading</h1><p>Text</p></main></body></html>`

const FAULTS = [
  ['text that cannot be read in dark', 'body { color: #333; background: #222 }', /^dark: color-contrast: /],
  ['a heading that is gone in dark', 'h1 { display: none }', /^dark: page-has-heading-one: /],
] as const

describe.skipIf(lacksBrowser)(`the accessibility check of both themes${browserNote}`, () => {
  const chromium = openForTests(openBrowser)

  async function violationsOf(inDark: string): Promise<string[]> {
    const page = await chromium.browser.newPage()
    await page.setContent(pageWith(inDark))
    return await listViolationsInBothThemes(page).finally(() => page.close())
  }

  it('passes if only colors change and all text has enough contrast', async () => {
    expect(await violationsOf('body { color: #eee; background: #222 }')).toEqual([])
  })

  it.each(FAULTS)('finds %s', async (_name, inDark, said) => {
    expect(await violationsOf(inDark)).toEqual([expect.stringMatching(said)])
  })
})
