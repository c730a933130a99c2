import { InputRefused, type RedirectCompletion } from '../../../src/connectors/contract/authorization.ts'
import type { ConnectorDescription } from '../../../src/connectors/contract/contract.ts'
import { type LoopbackServer, serveHttp } from '../../../src/egress/loopback-server.ts'

/** The provider's script; it also tries what the page's policy must block. */
const SCRIPT = `globalThis.provider = {
  open({ place, onDone, onExit }) {
    const frame = document.createElement('iframe')
    frame.title = 'Provider'
    frame.style.width = '100%'
    frame.src = new URL('/frame', document.querySelector('script[src$="/provider.js"]').src).href
    addEventListener('message', ({ origin, data }) => {
      if (origin !== new URL(frame.src).origin) return
      if (data === 'exit') onExit()
      else onDone(data)
    })
    place.append(frame)
  },
}`

const FRAME = `<!doctype html><html lang="en"><title>Provider</title><body>
<button id="share" onclick="parent.postMessage('handle-7', '*')">Share</button>
<button id="exit" onclick="parent.postMessage('exit', '*')">Exit</button>`

const GLUE = `provider.open({
  place: document.querySelector('#widget-place'),
  onDone: (handle) => finish({ handle, owner: params.owner, state: 'not yours', submit: 'x' }),
  onExit: cancel,
})`

export interface WidgetProvider extends LoopbackServer {
  source: ConnectorDescription
  /** Arguments of `complete`, oldest first. */
  completions: RedirectCompletion[]
  /** Whether the script is served. */
  isUp: boolean
}

/** A provider with a script and a frame on its own origin, and the source that uses it. */
export async function serveWidgetProvider(): Promise<WidgetProvider> {
  const server = await serveHttp((request, response) => {
    if (request.url === '/frame') return void response.setHeader('content-type', 'text/html').end(FRAME)
    if (!provider.isUp) return void response.writeHead(503).end()
    response.setHeader('content-type', 'text/javascript').end(SCRIPT)
  })
  const completions: RedirectCompletion[] = []
  const provider: WidgetProvider = { ...server, source: describe(server.url, completions), completions, isUp: true }
  return provider
}

function describe(url: string, completions: RedirectCompletion[]): ConnectorDescription {
  return {
    key: 'widget-source',
    name: 'Fenêtre bancaire',
    title: 'Fenêtre bancaire',
    description: { 'en-CA': 'A widget for tests.', 'fr-CA': 'Une fenêtre pour les essais.' },
    category: 'Banking',
    route: 'aggregator',
    entities: ['Accounts'],
    link: 'widget',
    appKeys: [],
    hosts: {},
    refreshHours: 24,
    load: async () => ({
      authorize: {
        step: 'widget',
        start: async (_kit, { state }) => ({
          widget: { script: `${url}/provider.js`, origins: [], glue: GLUE, params: { owner: `Zoé "<b>" & fils` } },
          memo: { state },
        }),
        complete: async (_kit, completion) => {
          completions.push(completion)
          const { handle = '' } = completion.query
          if (!/^handle-\d$/.test(handle)) throw new InputRefused({ en: 'No bank was shared.', 'fr-CA': 'Aucune institution.' })
          return [{ credentials: { secret: handle, expiresAt: null }, entity: { id: handle, name: 'Caisse des Îles' } }]
        },
      },
      pulls: [],
      entities: { Accounts: { wire: {}, map: { version: 1, fields: {} } } },
    }),
  }
}
