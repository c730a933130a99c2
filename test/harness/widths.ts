import type { Page } from 'playwright-core'

/** Phones, tablets, small laptops, and laptops whose text is enlarged. */
export const WIDTHS = [320, 360, 390, 480, 640, 768, 820, 900, 1024, 1100, 1180, 1280, 1920] as const

/**
 * Lists elements wider than the window, and controls that are partly outside, clipped by a container, or truncate
 * their own text.
 */
const FIND_FLAWS = `(() => {
  const flaws = []
  const root = document.documentElement
  const { clientWidth: width } = root
  if (root.scrollWidth > width) flaws.push('is ' + root.scrollWidth + ' px wide')
  const isShown = (each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  const isTiny = ({ width, height }) => width <= 1 || height <= 1
  const nameOf = (each) => '“' + (each.innerText || each.getAttribute('aria-label') || each.tagName).slice(0, 60) + '”'
  for (const box of document.querySelectorAll('.grid-box, [class*=tableScroll]')) {
    if (box.scrollWidth > box.clientWidth) flaws.push('scrolls sideways within ' + (box.firstElementChild?.getAttribute('aria-label') ?? box.className))
  }
  for (const each of document.querySelectorAll('button, a[href], input, select, textarea, summary, [role=tab]')) {
    const box = each.getBoundingClientRect()
    // A link to the content lies outside until it has the focus; what is hidden for the eyes is a pixel.
    if (!isShown(each) || isTiny(box) || each.classList.contains('skip') || each.closest('pre, .scroll[tabindex], [aria-hidden=true]')) continue
    if (box.right > width + 1 || box.left < -1) flaws.push(nameOf(each) + ' reaches from ' + Math.round(box.left) + ' to ' + Math.round(box.right))
    for (let around = each.parentElement; around; around = around.parentElement) {
      if (getComputedStyle(around).overflowX === 'visible' || around === root || around === document.body) continue
      const outer = around.getBoundingClientRect()
      if (!isTiny(outer) && (box.right > outer.right + 1 || box.left < outer.left - 1)) flaws.push(nameOf(each) + ' is clipped')
    }
    const label = each.querySelector('[class*=Button-label], [class*=Tab-tabLabel]') ?? (each.tagName === 'BUTTON' ? each : null)
    if (label && label.scrollWidth > label.clientWidth + 1 && getComputedStyle(label).overflowX !== 'visible') flaws.push(nameOf(each) + ' cuts its words off')
  }
  return flaws
})()`

/**
 * Waits until the page is laid out at a width. A new observer is notified after those of the page, in the same frame.
 * NOTE where the clock stands still, frames are timers and may end before the page is laid out.
 */
const untilLaidOut = (width: number) => `new Promise((done) => {
  const observer = new ResizeObserver(() => {
    if (innerWidth !== ${width}) return
    observer.disconnect()
    done()
  })
  observer.observe(document.documentElement)
})`

/** What readers may set (WCAG 1.4.12); at the same time a stand-in for wider fonts than those of this machine. */
const WIDEN_TEXT = `(() => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important }')
  document.adoptedStyleSheets = [sheet]
})()`

/** Layout problems at each width, and on a phone with wide text; the page is left at the last width. */
export async function listWidthFlaws(page: Page, name: string, widths: readonly number[] = WIDTHS): Promise<string[]> {
  const flaws: string[] = []
  async function judge(width: number, how: string) {
    await page.setViewportSize({ width, height: 800 })
    await page.evaluate(untilLaidOut(width))
    const found = await page.evaluate<string[]>(FIND_FLAWS)
    if (found.length > 0) flaws.push(`${name} at ${width} px${how}: ${[...new Set(found)].slice(0, 4).join('; ')}`)
  }
  await page.evaluate(WIDEN_TEXT)
  await judge(320, ' with wide text')
  await page.evaluate('document.adoptedStyleSheets = []')
  for (const width of widths) await judge(width, '')
  return flaws
}
