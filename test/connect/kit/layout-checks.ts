import type { Page } from 'playwright-core'

/** Texts that are clipped or overlap, as laid out by the browser. */
const FIND_CLIPPED = `(() => {
  const isSeen = (box) => box.width > 1 && box.height > 1
  const texts = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement
    if (!node.data.trim() || !parent.checkVisibility() || parent.closest('.unseen, template, noscript')) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const boxes = [...range.getClientRects()].filter(isSeen)
    const hides = ['hidden', 'clip'].includes(getComputedStyle(parent).overflowX)
    if (hides) {
      const { right, bottom, width } = parent.getBoundingClientRect()
      if (width <= 1) continue
      if (boxes.some((box) => box.right > right + 1 || box.bottom > bottom + 1)) return ['cut off: ' + node.data.trim().slice(0, 60)]
    }
    texts.push({ text: node.data.trim().slice(0, 60), boxes })
  }
  const found = []
  for (const [index, one] of texts.entries()) {
    for (const other of texts.slice(index + 1)) {
      const meet = one.boxes.some((a) => other.boxes.some((b) =>
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 3 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > Math.min(a.height, b.height) / 2))
      if (meet) found.push('on each other: ' + one.text + ' / ' + other.text)
    }
  }
  return found.slice(0, 3)
})()`

/** Content that does not fit a small screen, with text of normal and double size. */
export async function listLayoutFaults(page: Page): Promise<string[]> {
  const misfits: string[] = []
  await page.setViewportSize({ width: 320, height: 640 })
  for (const size of ['100%', '200%']) {
    await page.evaluate(`document.documentElement.style.fontSize = '${size}'`)
    const width: number = await page.evaluate('document.documentElement.scrollWidth')
    if (width !== 320) misfits.push(`${width} px wide on a screen of 320 px with text at ${size}`)
    const squeezed: string[] = await page.evaluate(FIND_CLIPPED)
    misfits.push(...squeezed.map((text) => `at ${size}, ${text}`))
  }
  await page.evaluate(`document.documentElement.style.fontSize = ''`)
  return misfits
}
