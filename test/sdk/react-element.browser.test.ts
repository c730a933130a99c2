import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser, openBrowser } from '../harness/browser.ts'
import { folderForTests } from '../harness/for-tests.ts'

const ROOT = resolve(import.meta.dirname, '..', '..')
const NAMES = ['opened', 'agreed', 'left', 'failed', 'connected']

/** A developer's page: the component, whose handlers note what they are told under the turn in which they were given. */
const PAGE = `
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { flushSync } from 'react-dom'
import { CountinghouseLink } from '${ROOT}/sdk/link/react.js'
globalThis.told = []
const root = createRoot(document.body)
globalThis.show = (href, turn) => {
  const note = (name) => (detail) => told.push([turn, name, detail])
  const handlers = { onOpened: note('opened'), onAgreed: note('agreed'), onLeft: note('left'), onFailed: note('failed'), onConnected: note('connected') }
  flushSync(() => root.render(createElement(CountinghouseLink, { href, language: 'fr', className: 'link', ...handlers })))
}
globalThis.hide = () => flushSync(() => root.render(null))
`

describe.skipIf(lacksBrowser)(`the React component around <countinghouse-link>${browserNote}`, () => {
  const folder = folderForTests()
  let script: string

  beforeAll(async () => {
    await writeFile(join(folder.path, 'page.js'), PAGE)
    const { build } = await import('vite')
    await build({
      root: folder.path,
      configFile: false,
      logLevel: 'silent',
      define: { 'process.env.NODE_ENV': '"production"' },
      resolve: { alias: { react: join(ROOT, 'node_modules/react'), 'react-dom': join(ROOT, 'node_modules/react-dom') } },
      build: {
        outDir: 'dist',
        lib: { entry: 'page.js', formats: ['es'], fileName: () => 'page.js' },
        rolldownOptions: { output: { codeSplitting: false } },
      },
    })
    script = join(folder.path, 'dist/page.js')
  }, 60_000)

  it('tells each event to the newest handler with its detail, and none once it is gone', async () => {
    const { browser, close } = await openBrowser()
    try {
      const page = await browser.newPage()
      await page.addScriptTag({ path: script, type: 'module' })
      await page.waitForFunction('globalThis.show')
      await page.evaluate(`show('nowhere', 'first')`)
      // The element itself finds that the address is none.
      await page.waitForFunction('told.length > 0')
      expect(await page.evaluate('told.splice(0)')).toEqual([['first', 'failed', { reason: 'address' }]])
      await page.evaluate(`show(undefined, 'second')`)
      const send = `for (const name of ${JSON.stringify(NAMES)}) element.dispatchEvent(new CustomEvent(name, { detail: { of: name } }))`
      await page.evaluate(`globalThis.element = document.querySelector('countinghouse-link.link[language=fr]'); ${send}`)
      expect(await page.evaluate('told.splice(0)')).toEqual(NAMES.map((name) => ['second', name, { of: name }]))
      await page.evaluate(`hide(); ${send}`)
      expect(await page.evaluate('told')).toEqual([])
    } finally {
      await close()
    }
  }, 60_000)
})
