import Fastify from 'fastify'
import { afterAll, expect, it } from 'vitest'
import { refuseOtherSites } from '../../src/api/http/other-sites.ts'

const app = Fastify()
app.addHook('onRequest', refuseOtherSites)
app.get('/link', { config: { isChange: true }, exposeHeadRoute: true }, async () => 'made')
app.post('/link', { config: { isChange: true } }, async () => 'made')
app.get('/list', async () => 'read')
afterAll(() => app.close())

it.each<[string, string, Record<string, string>, number]>([
  ['a program', 'GET /link', {}, 200],
  ['a page of ours', 'GET /link', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' }, 200],
  ['another site', 'GET /link', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'empty' }, 403],
  ['another host of the same site', 'GET /link', { 'sec-fetch-site': 'same-site' }, 403],
  ['the address bar', 'GET /link', { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }, 403],
  ['a picture of a page of ours', 'GET /link', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'image' }, 403],
  ['a browser that tells the destination alone', 'GET /link', { 'sec-fetch-dest': 'script' }, 403],
  ['another site that asks for the head', 'HEAD /link', { 'sec-fetch-site': 'cross-site' }, 403],
  ['another site by a method that has a preflight', 'POST /link', { 'sec-fetch-site': 'cross-site' }, 200],
  ['another site, for what changes nothing', 'GET /list', { 'sec-fetch-site': 'cross-site' }, 200],
])('what changes something by a GET: %s asks %s', async (_who, asked, headers, status) => {
  const [method, url = ''] = asked.split(' ')
  expect((await app.inject({ method: method as 'GET', url, headers })).statusCode).toBe(status)
})
