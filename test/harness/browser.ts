import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** Debian's Chromium: its shell without windows, the same engine at half the work, where that is installed; else the whole browser. */
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

/** True where browser tests cannot run and may be left out; with CI set they must run, so a missing browser fails them. */
export const lacksBrowser = !CHROMIUM && process.env.CI !== 'true'

/** Put into the title of a suite, so that a skip says why. */
export const browserNote = lacksBrowser ? ` (SKIPPED: no Chromium)` : ''

/** Starts a browser with a home of its own; `close` ends it and takes everything away. */
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
