import type { ElementHandle, Frame, Page } from 'playwright-core'
import { until } from '../process/deadline.ts'

const MAX_STEPS = 25
/** What leads away from the goal, in either language. */
const AWAY =
  /deny|declin|cancel|refus|annul|back|retour|reject|reset|forgot|oubli|don.t|not now|no,|non,|missing|manqu|later|plus tard|english|français|exit|quitter|leave/i
/** Pressed only when nothing else is left. */
const END = /close|fermer/i

/**
 * An owner who has never seen any of it and reads only what is on the screen: opens the link, fills what is empty, takes the first choice and
 * presses the button that goes on, until we say that it is done. Gives the clicks that it took to come to the source's own
 * step: its page, its window, or the form or files that it asks for on ours.
 */
export async function crawlAsOwner(page: Page, link: string, origin: string): Promise<{ clicksToSource: number }> {
  const met: string[] = []
  let clicksToSource: number | null = null
  await page.goto(link)
  for (let step = 0; step < MAX_STEPS; step += 1) {
    if (clicksToSource === null && (await isAtSource(page, origin))) clicksToSource = step
    if (page.url().startsWith(`${origin}/connect/done`)) return { clicksToSource: clicksToSource ?? step }
    met.push(`${new URL(page.url()).pathname}: ${await headingOf(page)}`)
    await goOn(page, origin)
  }
  throw new Error(`it does not come to an end: ${met.join(' → ')}`)
}

/** Each step before it was one click: our pages have nothing to tick, and banks are taken from the list. */
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

/** One page: as people do, from the innermost window outwards. */
async function goOn(page: Page, origin: string): Promise<void> {
  const before = await looksOf(page)
  const pressed = await until(
    `a way on from ${page.url()}`,
    async () => {
      // A page that goes on by itself needs nobody, and neither does the last one.
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
    throw new Error(`no way on from ${page.url()}: ${(await page.locator('body').innerText()).slice(0, 400)}`, { cause: error })
  })
  if (typeof pressed === 'string') return
  // Gone by itself meanwhile, or covered by what came up: the next look tells.
  await pressed.click({ timeout: 3_000 }).catch(() => undefined)
  await until('the page goes on', async () => ((await looksOf(page)) === before ? null : true), 20_000).catch(async (error: unknown) => {
    throw new Error(`nothing happened on ${page.url()}: ${(await page.locator('body').innerText()).slice(0, 400)}`, { cause: error })
  })
}

/** What a person sees change. */
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

/** Where people look for the way on, most likely first. */
const WAYS_ON = ['dialog button', 'main form button', 'form button', 'button, input[type=submit]', 'a.button', 'main a[href]']

async function fillAndFind(frame: Frame, origin: string): Promise<ElementHandle | null> {
  const bank = await frame.$('ul.banks a')
  if (bank) return bank
  // Our own forms hold the sandbox's values already; what is left empty there is optional.
  if (!frame.url().startsWith(origin)) await fillEmptyFields(frame)
  for (const kind of ['checkbox', 'radio']) {
    const boxes = await frame.$$(`input[type=${kind}]`)
    const isAnyChecked = (await Promise.all(boxes.map((box) => box.isChecked()))).some(Boolean)
    if (!isAnyChecked) await boxes[0]?.check({ timeout: 2_000 })
  }
  let last: ElementHandle | null = null
  for (const way of WAYS_ON) {
    for (const button of await frame.$$(way)) {
      if (!(await button.isVisible()) || !(await button.isEnabled())) continue
      const words = `${await button.innerText()} ${(await button.getAttribute('value')) ?? ''} ${(await button.getAttribute('aria-label')) ?? ''}`
      if (AWAY.test(words)) continue
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
