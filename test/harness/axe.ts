import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/**
 * Rules of WCAG 2.2 A and AA, and best practices.
 * Source: https://www.deque.com/axe/core-documentation/api-documentation/#axecore-tags
 */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Source: https://github.com/dequelabs/axe-core/blob/develop/doc/rule-descriptions.md */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block']

const THEMES = ['light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** Everything that axe's other rules depend on: the document, and the style and position of each element. */
const SHAPE = `JSON.stringify([document.documentElement.outerHTML, [...document.querySelectorAll('*')].map((each) => {
  const { display, visibility, opacity, overflow, content } = getComputedStyle(each)
  const { x, y, width, height } = each.getBoundingClientRect()
  return [display, visibility, opacity, overflow, content, x, y, width, height]
})])`

/** Dialogs of Mantine get their name from an effect, a moment after they are shown. */
const ARE_DIALOGS_NAMED = `[...document.querySelectorAll('[role=dialog]')].every((each) => each.matches('[aria-label], [aria-labelledby]'))`

/** Violations that axe finds in the page as it is. The context must have been opened with `bypassCSP`. */
export async function listViolations(page: Page): Promise<string[]> {
  return await runAxe(page, { type: 'tag', values: TAGS })
}

/** Violations in light and in dark. If only colours differ in the second, only the rules on colours run there. */
export async function listViolationsInBothThemes(page: Page): Promise<string[]> {
  const [first, second] = THEMES
  await page.emulateMedia({ colorScheme: first })
  const found = await listViolations(page)
  const shape = await page.evaluate<string>(SHAPE)
  await page.emulateMedia({ colorScheme: second })
  const isSameShape = (await page.evaluate<string>(SHAPE)) === shape
  const foundLater = isSameShape ? await runAxe(page, { type: 'rule', values: RULES_OF_COLOURS }) : await listViolations(page)
  return [...found, ...foundLater].map((flaw, index) => `${index < found.length ? first : second}: ${flaw}`)
}

async function runAxe(page: Page, runOnly: { type: 'tag' | 'rule'; values: string[] }): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(axe)
  await page.waitForFunction(ARE_DIALOGS_NAMED, undefined, { timeout: 2_000 }).catch(() => 'axe tells of it')
  // Frames show pages of other sites.
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'], selectors: false, iframes: false })
  return await page.evaluate(`axe.run(${options}).then((result) => result.violations.map((one) =>
    one.id + ': ' + one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200) + ' ' + node.failureSummary).join('; ')))`)
}
