import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { toWidget } from '../../../src/connectors/mx/widget.ts'
import { browserNote, lacksBrowser, openBrowser } from '../../harness/browser.ts'

const portOf = (server: Server | undefined) => (server?.address() as AddressInfo | undefined)?.port ?? 0
const CONNECTED = { type: 'mx/connect/memberConnected', metadata: { member_guid: 'MBR-1' } }

describe.skipIf(lacksBrowser)(`messages of the frame of MX${browserNote}`, () => {
  let chromium: Awaited<ReturnType<typeof openBrowser>>
  /** Our page, the widget’s host, and a host of somebody else; empty pages, each of its own origin. */
  const servers: Server[] = []
  const [own, provider, other] = [0, 1, 2].map((at) => () => `http://127.0.0.1:${portOf(servers[at])}`)
  let page: Page

  beforeAll(async () => {
    for (let count = 0; count < 3; count += 1) {
      const server = createServer((_request, answer) =>
        answer.setHeader('content-type', 'text/html').end('<!doctype html><div id="widget-place"></div>'),
      )
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
      servers.push(server)
    }
    chromium = await openBrowser()
  })
  beforeEach(async () => {
    page = await chromium.browser.newPage()
    await page.goto(`${own?.()}/`)
    const { glue, params } = toWidget(`${provider?.()}/widget`, 'MX')
    // As the script of our page runs it.
    await page.evaluate(
      `window.finished = []; (({ params, finish }) => { ${glue} })({ params: ${JSON.stringify(params)}, finish: (fields) => finished.push(fields) })`,
    )
    await page.waitForSelector('iframe')
  })
  afterAll(async () => {
    await chromium?.close()
    for (const server of servers) server.close()
  })

  const frameOf = async (address: string) => {
    await expect.poll(() => page.frames().some((frame) => frame.url().startsWith(address))).toBe(true)
    return page.frames().find((frame) => frame.url().startsWith(address))
  }
  const post = async (address: string, data: unknown) => {
    const frame = await frameOf(address)
    await frame?.evaluate(`parent.postMessage(${JSON.stringify(data)}, '*')`)
  }
  /** What the page took, once a message that it takes for sure has come after the others. */
  const taken = async () => {
    await post(`${provider?.()}`, { ...CONNECTED, metadata: { member_guid: 'last' } })
    await expect.poll(() => page.evaluate(`finished.some(({ member_guid }) => member_guid === 'last')`)).toBe(true)
    return (await page.evaluate<{ member_guid: string }[]>('finished'))
      .map((fields) => fields.member_guid)
      .filter((guid) => guid !== 'last')
  }

  it('are taken from its own origin', async () => {
    await post(`${provider?.()}`, CONNECTED)
    expect(await taken()).toEqual(['MBR-1'])
  })

  it('are discarded from another frame, and from our own page', async () => {
    await page.evaluate(`document.body.append(Object.assign(document.createElement('iframe'), { src: '${other?.()}/' }))`)
    await post(`${other?.()}`, CONNECTED)
    await page.evaluate(`postMessage(${JSON.stringify(CONNECTED)}, '*')`)
    expect(await taken()).toEqual([])
  })

  it('are discarded from the frame while it shows another host, and taken again once it shows its own', async () => {
    const frame = await frameOf(`${provider?.()}/widget`)
    await frame?.goto(`${other?.()}/`)
    await post(`${other?.()}`, CONNECTED)
    await frame?.goto(`${provider?.()}/widget`)
    await post(`${provider?.()}`, { ...CONNECTED, metadata: { member_guid: 'MBR-2' } })
    expect(await taken()).toEqual(['MBR-2'])
  })

  it('are discarded when they are of another kind or have none', async () => {
    for (const data of [
      null,
      'mx/connect/memberConnected',
      1,
      {},
      [],
      { type: 'mx/load' },
      { ...CONNECTED, type: 'MX/CONNECT/MEMBERCONNECTED' },
    ])
      await post(`${provider?.()}`, data)
    expect(await taken()).toEqual([])
  })
})
