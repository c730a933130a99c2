import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isSameOriginRequest } from './csrf.ts'

const app = fastify()
beforeAll(async () => {
  app.get('/', async (request) => ({ isOurs: isSameOriginRequest(request, 'https://connect.example.com/below') }))
  await app.ready()
})
afterAll(() => app.close())

describe('a form', () => {
  it.each([
    ['a browser without these headers', {}, true],
    ['our page, by the site', { 'sec-fetch-site': 'same-origin' }, true],
    ['the address bar', { 'sec-fetch-site': 'none' }, true],
    ['another page of our site', { 'sec-fetch-site': 'same-site' }, false],
    ['another site', { 'sec-fetch-site': 'cross-site' }, false],
    ['somebody who writes an empty header', { 'sec-fetch-site': '' }, false],
    ['our page, by the origin', { origin: 'https://connect.example.com' }, true],
    ['our page, which sends no referrer', { origin: 'null' }, true],
    ['another origin', { origin: 'https://evil.example' }, false],
    ['our host without encryption', { origin: 'http://connect.example.com' }, false],
    ['our host at another port', { origin: 'https://connect.example.com:8443' }, false],
    ['the address of a page in place of an origin', { origin: 'https://connect.example.com/below' }, false],
    ['an empty origin', { origin: '' }, false],
    ['another site, with our origin', { 'sec-fetch-site': 'cross-site', origin: 'https://connect.example.com' }, false],
    ['our page, with another origin', { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }, false],
  ])('from %s', async (_whom, headers, isOurs) => {
    expect((await app.inject({ url: '/', headers })).json()).toEqual({ isOurs })
  })
})
