import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { choosesBank, heading, type Page, resumePath, sendPage } from '../../../src/connect/views/page.ts'
import type { Visitor } from '../../../src/connect/visit/visitor.ts'
import { html } from '../../../src/model/texts/html.ts'
import { sampleOwner, sampleVisit, sampleVisitor } from './sample-visit.ts'
import { expectWritten } from './written-pages.ts'

const assets = {
  stylePath: '/style.css',
  scriptPaths: {
    progress: '/progress.js',
    banks: '/banks.js',
    widget: '/widget.js',
    waiting: '/waiting.js',
    frame: '/frame.js',
    zone: '/zone.js',
  },
}
const HEADERS = [
  'content-type',
  'content-security-policy',
  'x-frame-options',
  'strict-transport-security',
  'referrer-policy',
  'cache-control',
]

/** The answer to a request for this page. */
async function send(visitor: Visitor, more: Partial<Page> = {}, isSecure = true): Promise<string> {
  const app = Fastify()
  const page: Page = { title: 'A <title>', body: html`${heading('A <title>')}`, address: '/connect/page', ...more }
  app.get('/', (_request, reply) => sendPage(reply, { assets, isSecure }, visitor, page))
  const answer = await app.inject('/')
  await app.close()
  const headers = HEADERS.map((name) => `${name}: ${answer.headers[name] ?? '(none)'}`)
  return [answer.statusCode, ...headers, answer.body].join('\n')
}

const visit = sampleVisit()
const framing = sampleVisit({ pages: { frameOrigins: ['https://app.example.com', 'https://b.example'] } })
const framed = sampleVisitor(framing, { isFramed: true })
const widget = { script: 'https://js.example/x.js', origins: ['https://api.example'], glue: 'finish({})', params: {} }

it('a page has the headers, scripts and steps of its visit', async () => {
  const branded = { publicName: 'Érable', accentLight: '#112233', logo: { type: 'image/png', hash: 'abcdef', bytes: 3 } }
  await expectWritten('page', {
    'without a link': await send(sampleVisitor(null), {}, false),
    'first of three': await send(sampleVisitor(visit), { step: 'consent', status: 409, script: 'progress' }),
    'third of four': await send(sampleVisitor(sampleVisit({ source: 'plaid' })), { step: 'connect', address: '/connect/page?a=1' }),
    'dated, in French': await send(sampleVisitor(visit, { locale: 'fr-CA' }), { step: 'done', isDated: true }),
    forwarding: await send(sampleVisitor(visit), { forwardTo: 'https://source.example/?a=1&b=2' }),
    'with a widget': await send(sampleVisitor(visit), { widget }),
    'of the sandbox': await send(sampleVisitor(sampleVisit({ service: { environment: 'sandbox' } }))),
    'of a brand': await send(sampleVisitor(sampleVisit({ pages: branded }))),
    'of an owner': await send(sampleVisitor(null, { owner: sampleOwner(branded) })),
  })
})

it('only the pages of an owner’s link are shown in a frame, which learns what they mean', async () => {
  const before = sampleVisit({ pages: framing.open.pages, visit: { agreed: false } })
  const handed = sampleVisit({ pages: framing.open.pages, link: { parentId: '00000000-0000-4000-8000-000000000009' } })
  await expectWritten('page-in-frame', {
    agreed: await send(framed),
    opened: await send(sampleVisitor(before, { isFramed: true })),
    connected: await send(framed, { outcome: { event: 'connected', detail: { connectionIds: ['"1"'] } } }),
    'of a helper': await send(sampleVisitor(handed, { isFramed: true })),
    'not in a frame': await send(sampleVisitor(framing)),
    'where none is allowed': await send(sampleVisitor(visit, { isFramed: true })),
    'in the window of a frame': await send(sampleVisitor(framing, { returnsTo: 'window' })),
    'in a frame of the window': await send(sampleVisitor(visit, { returnsTo: 'window', isFramed: true })),
    'without a link': await send(sampleVisitor(null, { isFramed: true, returnsTo: 'window' })),
  })
})

it('an owner goes on where the consent and the source lead', () => {
  const at = (agreed: boolean, source: 'quickbooks' | 'plaid', parentId: string | null = null, institutionId: string | null = null) =>
    sampleVisit({ source, link: { parentId }, service: { institutionId }, visit: { agreed, ref: null } })
  expect(
    [at(false, 'plaid'), at(false, 'plaid', 'p'), at(true, 'plaid'), at(true, 'plaid', null, 'ins_1'), at(true, 'quickbooks')].map(
      (each) => [resumePath(each), choosesBank(each)],
    ),
  ).toEqual([
    ['/connect/consent', true],
    ['/connect/helping', true],
    ['/connect/institutions', true],
    ['/connect/source', false],
    ['/connect/source', false],
  ])
})
