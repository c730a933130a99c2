import { describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openBrowserHarness } from './kit/browser-harness.ts'

describe.skipIf(lacksBrowser)(`a provider’s window on our page${browserNote}`, () => {
  const tour = openForTests(openBrowserHarness)

  it('passes the provider’s result to the connector, and leads to the end', async () => {
    const { page, context, complaints } = await tour.visit({ locale: 'fr-CA' })
    await tour.routes.widget?.(page)
    await page.frameLocator('iframe').locator('#share').click()
    await page.waitForURL(/connect\/done/)
    expect([await page.textContent('h1'), complaints]).toEqual(['La connexion est établie', []])
    const { state, ...handed } = tour.connectHarness.widget.completions.at(-1)?.query ?? {}
    expect(handed).toEqual({ handle: 'handle-7', owner: 'Zoé "<b>" & fils', submit: 'x' })
    expect(state).not.toBe('not yours')
    await context.close()
  })

  it('leads to the previous step when closed by the provider', async () => {
    const { page, context } = await tour.visit()
    await tour.routes.widget?.(page)
    await page.frameLocator('iframe').locator('#exit').click()
    // The window's page has the same address as the step before it.
    await page.getByRole('heading', { name: 'Choose your bank in Fenêtre bancaire' }).waitFor()
    await context.close()
  })

  it('starts with the focus on its heading and can be left by keyboard', async () => {
    const { page, context } = await tour.visit()
    await tour.routes.widget?.(page)
    await page.waitForSelector('h1:focus')
    await page.focus('#widget-back')
    await page.keyboard.press('Enter')
    await page.waitForSelector('form[action^="/connect/source"]')
    await context.close()
  })

  it('that cannot be loaded shows an error, with the focus on it', async () => {
    const { page, context } = await tour.visit()
    await tour.routes['widget-failed']?.(page)
    expect([await page.textContent('#widget-failed'), await page.locator('[data-widget-note=opening]').isVisible()]).toEqual([
      'The Fenêtre bancaire window could not be opened',
      false,
    ])
    await context.close()
  })

  it('whose glue script fails shows an error too', async () => {
    const { page, context } = await tour.visit()
    await page.addInitScript(`Object.defineProperty(globalThis, 'provider', { value: { open() { throw new Error('broken') } } })`)
    await page.goto(await tour.connectHarness.link('widget-source'))
    await tour.agree(page)
    await tour.submit(page)
    await page.waitForSelector('#widget-failed:focus')
    await context.close()
  })

  it('without scripts explains that they are needed', async () => {
    const { page, context } = await tour.visit({ javaScriptEnabled: false })
    await page.goto(await tour.connectHarness.link('widget-source'))
    await tour.agree(page)
    await tour.submit(page)
    expect(await page.locator('.notice').isVisible()).toBe(true)
    await page.click('#widget-back')
    expect(await page.textContent('h1')).toBe('Choose your bank in Fenêtre bancaire')
    await context.close()
  })

  it('cannot load from or call origins that were not declared', async () => {
    const { page, context } = await tour.visit()
    await tour.routes.widget?.(page)
    const reached = await page.evaluate(`(async () => {
      const script = document.createElement('script')
      script.src = 'http://127.0.0.1:9/evil.js'
      const loads = new Promise((resolve) => { script.onload = () => resolve('loaded'); document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective)) })
      document.head.append(script)
      const call = await fetch('http://127.0.0.1:9/').catch(() => 'blocked')
      return [await loads, call]
    })()`)
    expect(reached).toEqual(['script-src-elem', 'blocked'])
    await context.close()
  })
})
