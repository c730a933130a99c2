import type { ElementHandle, Frame, Page } from 'playwright-core'
import { until } from '../process/deadline.ts'

const MAX_STEPS = 25
/** Labels of controls that lead away from the goal, in either language. */
const EXIT_LABELS =
  /deny|declin|cancel|refus|annul|back|retour|reject|reset|forgot|oubli|don.t|not now|no,|non,|missing|manqu|later|plus tard|english|français|exit|quitter|leave/i
/** Labels pressed only if nothing else is left. */
const END = /close|fermer/i

/**
 * A first-time owner who only uses what is on the screen: opens the link, fills empty fields, takes the first choice
 * and presses the button that continues, until our page says that it is done. Returns the number of clicks to the
 * source's own step: its page, its window, or the form or files that it asks for on ours.
 */
export async function crawlAsOwner(page: Page, link: string, origin: string): Promise<{ clicksToSource: number }> {
  const met: string[] = []
  let clicksToSource: number | null = null
  await page.goto(link)
  for (let step = 0; step < MAX_STEPS; step += 1) {
    if (clicksToSource === null && (await isAtSource(page, origin))) clicksToSource = step
    if (page.url().startsWith(`${origin}/connect/done`)) return { clicksToSource: clicksToSource ?? step }
    met.push(`${new URL(page.url()).pathname}: ${await headingOf(page)}`)
    await advance(page, origin)
  }
  throw new Error(`it does not end: ${met.join(' → ')}`)
}

/**
 * Whether the page is at the source's step. Each step before it was one click: our pages have no checkboxes, and banks
 * are selected from the list.
 */
async function isAtSource(page: Page, origin: string): Promise<boolean> {
  if (page.frames().some((frame) => /^https?:/.test(frame.url()) && !frame.url().startsWith(`${origin}/connect/`))) return true
  return page.url().startsWith(`${origin}/connect/source`) && (await page.locator('main input:not([type=hidden])').count()) > 0
}

async function headingOf(page: Page): Promise<string> {
  return (
    (await page
      .locator('h1, h2')
      .first()
      .textContent({ timeout: 2_000 })
      .catch(() => '')) ?? ''
  ).trim()
}

/** Handles one page, from the innermost window outwards, as people do. */
async function advance(page: Page, origin: string): Promise<void> {
  const before = await looksOf(page)
  const pressed = await until(
    `a way on from ${page.url()}`,
    async () => {
      // A page that continues by itself needs no action, nor does the last one.
      if (page.url().startsWith(`${origin}/connect/done`)) return 'it is done'
      if ((await looksOf(page)) !== before) return 'it went on by itself'
      for (const frame of page.frames().toReversed()) {
        const button = await fillAndFind(frame, origin).catch(() => null)
        if (button) return button
      }
      return null
    },
    15_000,
  ).catch(async (error: unknown) => {
    throw new Error(`no way to continue from ${page.url()}: ${(await page.locator('body').innerText()).slice(0, 400)}`, { cause: error })
  })
  if (typeof pressed === 'string') return
  // It may have moved on by itself, or been covered; the next round shows.
  await pressed.click({ timeout: 3_000 }).catch(() => undefined)
  await until('the page goes on', async () => ((await looksOf(page)) === before ? null : true), 20_000).catch(async (error: unknown) => {
    throw new Error(`nothing happened on ${page.url()}: ${(await page.locator('body').innerText()).slice(0, 400)}`, { cause: error })
  })
}

/** The visible state of a page. */
async function looksOf(page: Page): Promise<string> {
  const texts: string[] = [page.url()]
  for (const frame of page.frames())
    texts.push(
      await frame
        .locator('body')
        .innerText({ timeout: 1_000 })
        .catch(() => ''),
    )
  return texts.join('\n')
}

/** Selectors of the control that continues, most likely first. */
const NEXT_STEPS = ['dialog button', 'main form button', 'form button', 'button, input[type=submit]', 'a.button', 'main a[href]']

async function fillAndFind(frame: Frame, origin: string): Promise<ElementHandle | null> {
  const bank = await frame.$('ul.banks a')
  if (bank) return bank
  // Our own forms contain the sandbox's values already; fields left empty there are optional.
  if (!frame.url().startsWith(origin)) await fillEmptyFields(frame)
  for (const kind of ['checkbox', 'radio']) {
    const boxes = await frame.$$(`input[type=${kind}]`)
    const isAnyChecked = (await Promise.all(boxes.map((box) => box.isChecked()))).some(Boolean)
    if (!isAnyChecked) await boxes[0]?.check({ timeout: 2_000 })
  }
  let last: ElementHandle | null = null
  for (const way of NEXT_STEPS) {
    for (const button of await frame.$$(way)) {
      if (!(await button.isVisible()) || !(await button.isEnabled())) continue
      const words = `${await button.innerText()} ${(await button.getAttribute('value')) ?? ''} ${(await button.getAttribute('aria-label')) ?? ''}`
      if (EXIT_LABELS.test(words)) continue
      if (!END.test(words)) return button
      last ??= button
    }
  }
  return last
}

async function fillEmptyFields(frame: Frame): Promise<void> {
  for (const field of await frame.$$('input:not([type=hidden]):not([type=checkbox]):not([type=radio]):not([type=submit])')) {
    if (!(await field.isVisible()) || (await field.inputValue()) !== '') continue
    const [type, name] = [await field.getAttribute('type'), (await field.getAttribute('name')) ?? '']
    const isUser = /user|login|identifiant/i.test(name)
    await field.fill(type === 'password' ? 'pass_good' : type === 'email' ? 'owner@example.com' : isUser ? 'user_good' : '123456')
  }
}
