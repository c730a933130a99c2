import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** Debian's Chromium: the headless shell if installed (the same engine at half the cost), else the full browser. */
const CHROMIUM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path))

const SWITCHES = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** True if browser tests cannot run and may be skipped; with CI set they must run, so a missing browser fails them. */
export const lacksBrowser = !CHROMIUM && process.env.CI !== 'true'

/** Suffix for suite titles, so that a skip gives its reason. */
export const browserNote = lacksBrowser ? ` (SKIPPED: no Chromium)` : ''

/** Starts a browser with a separate home; `close` ends it and removes everything. */
export async function openBrowser(): Promise<{ browser: Browser; close(): Promise<void> }> {
  if (!CHROMIUM) throw new Error('the browser tests need Debian’s chromium-headless-shell or chromium')
  const home = await mkdtemp(join(tmpdir(), 'countinghouse-browser-'))
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: SWITCHES,
    env: { ...toEnvironment(process.env), HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home },
  })
  return {
    browser,
    close: async () => {
      await browser.close()
      await rm(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function toEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined))
}
