import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { openForTests } from '../../../test/harness/for-tests.ts'
import { type Assets, addAssetRoutes } from './assets.ts'
import { addElementRoutes, newestOfMajors } from './element.ts'

const FOREVER = 'public, max-age=31536000, immutable'
const HOUR = 'public, max-age=3600'
const LINK = '/connect/link'

const server = openForTests(async () => {
  const app = fastify()
  const assets = await addAssetRoutes(app)
  await addElementRoutes(app)
  return { app, assets, close: () => app.close() }
})

async function get(url: string) {
  const { statusCode: status, headers, rawPayload } = await server.app.inject({ url })
  const named = ['content-type', 'cache-control', 'x-content-type-options', 'access-control-allow-origin', 'cross-origin-resource-policy']
  return { status, headers: named.map((name) => headers[name] ?? null), bytes: rawPayload }
}

describe('a style sheet or script of the pages', () => {
  it.each<[string, string, (assets: Assets) => string]>([
    ['style.css', 'text/css', ({ stylePath }) => stylePath],
    ['progress.js', 'text/javascript', ({ scriptPaths }) => scriptPaths.progress],
    ['banks.js', 'text/javascript', ({ scriptPaths }) => scriptPaths.banks],
    ['widget.js', 'text/javascript', ({ scriptPaths }) => scriptPaths.widget],
    ['waiting.js', 'text/javascript', ({ scriptPaths }) => scriptPaths.waiting],
    ['frame.js', 'text/javascript', ({ scriptPaths }) => scriptPaths.frame],
    ['zone.js', 'text/javascript', ({ scriptPaths }) => scriptPaths.zone],
  ])('has an address of its content, which browsers keep for ever: %s', async (file, type, pathOf) => {
    const content = await readFile(new URL(file, import.meta.url))
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 12)
    const path = pathOf(server.assets)
    expect(path).toBe(`/connect/${file.replace('.', `-${hash}.`)}`)
    const { status, headers, bytes } = await get(path)
    expect([status, headers, bytes.equals(content)]).toEqual([200, [`${type}; charset=utf-8`, FOREVER, 'nosniff', null, null], true])
  })
})

describe('the element for pages of others', () => {
  const SHARED = ['nosniff', '*', 'cross-origin']
  const versionsOf = async () =>
    JSON.parse((await get(`${LINK}/versions.json`)).bytes.toString()) as { newest: string; integrity: Record<string, string> }

  it('is listed with the hash of each version, for an hour', async () => {
    const { status, headers } = await get(`${LINK}/versions.json`)
    expect([status, headers]).toEqual([200, ['application/json; charset=utf-8', HOUR, ...SHARED]])
    const listed: unknown = JSON.parse(await readFile(new URL('../../../sdk/link/integrity.json', import.meta.url), 'utf8'))
    const { newest, integrity } = await versionsOf()
    expect([integrity, Object.keys(integrity).at(-1)]).toEqual([listed, newest])
  })

  it('has each version for ever at its address, with the listed hash', async () => {
    const { integrity } = await versionsOf()
    for (const [version, hash] of Object.entries(integrity)) {
      const { status, headers, bytes } = await get(`${LINK}/${version}/countinghouse-link.js`)
      const found = `sha384-${createHash('sha384').update(bytes).digest('base64')}`
      expect([status, headers, found], version).toEqual([200, ['text/javascript; charset=utf-8', FOREVER, ...SHARED], hash])
    }
  })

  it('has the newest version of each major one for an hour at the address of that', async () => {
    const { integrity } = await versionsOf()
    for (const [major, version] of newestOfMajors(Object.keys(integrity))) {
      const [short, long] = [await get(`${LINK}/${major}/countinghouse-link.js`), await get(`${LINK}/${version}/countinghouse-link.js`)]
      expect([short.status, short.headers, short.bytes.equals(long.bytes)], major).toEqual([
        200,
        ['text/javascript; charset=utf-8', HOUR, ...SHARED],
        true,
      ])
    }
    expect((await get(`${LINK}/0/countinghouse-link.js`)).status).toBe(404)
  })
})
