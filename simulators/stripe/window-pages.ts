import type { Call } from '../bank-simulator.ts'
import type { Reply } from '../kit/http/response.ts'
import { addRefresh } from './accounts.ts'
import { toSession } from './api.ts'
import { accountsAt, INSTITUTIONS } from './book.ts'
import type { Account, Session } from './state.ts'
import { windowScript } from './window-script.ts'
import { textsFor, type WindowTexts } from './window-texts.ts'
import { type StripeWorld, secondsOf } from './world.ts'

/** What travels from page to page. */
const CARRIED = ['client_secret', 'locale', 'opener', 'institution'] as const
const SHOWN = 20

/** The script and the window; null for another path. */
export function answerWindow(world: StripeWorld, call: Call): Reply | null {
  if (call.path === '/v3/') return { status: 200, type: 'text/javascript', body: windowScript(world.context.baseUrl()) }
  const [found, step] = /^\/window(?:\/([a-z]+))?$/.exec(call.path) ?? []
  if (found === undefined) return null
  const fields = call.method === 'POST' ? new URLSearchParams(call.body) : call.query
  const texts = textsFor(fields.get('locale'))
  const session = world.context.state.sessions.find(({ clientSecret }) => clientSecret === fields.get('client_secret'))
  if (!session) return handOver(fields, { error: { type: 'invalid_request_error', code: 'resource_missing' } })
  if (step === 'exit') return handOver(fields, { financialConnectionsSession: { id: session.id, accounts: [] } })
  const bank = INSTITUTIONS.find((name) => name === fields.get('institution'))
  if (step === undefined) return page(texts, fields, texts.agree, form(fields, 'choose', texts.go, ''))
  if (!bank) return page(texts, fields, texts.choose, form(fields, 'login', texts.next, options(texts)))
  if (step === 'accounts' && (fields.get('username') !== 'test' || fields.get('password') !== 'test'))
    return login(texts, fields, bank, true)
  if (step === 'accounts') return chooseAccounts(world, texts, fields, session, bank)
  return step === 'finish' ? finish(world, fields, session, bank) : login(texts, fields, bank, false)
}

function options(texts: WindowTexts): string {
  const list = INSTITUTIONS.map((name) => `<option>${escaped(name)}</option>`).join('')
  return `<p><label for="institution">${texts.institution}</label><br><select id="institution" name="institution">${list}</select></p>`
}

function login(texts: WindowTexts, fields: URLSearchParams, bank: string, isWrong: boolean): Reply {
  const inputs = `${isWrong ? `<p role="alert">${texts.wrong}</p>` : ''}<p><label for="username">${texts.username}</label><br><input id="username" name="username" value="test"></p>
<p><label for="password">${texts.password}</label><br><input id="password" name="password" type="password" value="test"></p><p>${texts.hint}</p>`
  return page(texts, fields, texts.signIn(escaped(bank)), form(fields, 'accounts', texts.next, inputs))
}

function accountsOf({ seed, giant, context }: StripeWorld, session: Session, bank: string): Account[] {
  return accountsAt(seed, bank, session.customer, giant, secondsOf(context.now()))
}

function chooseAccounts(world: StripeWorld, texts: WindowTexts, fields: URLSearchParams, session: Session, bank: string): Reply {
  const rows = accountsOf(world, session, bank)
    .slice(0, SHOWN)
    .map(({ id, name, last4 }) => {
      return `<p><label><input type="checkbox" name="account" value="${id}" checked> ${escaped(name)} ${last4 === null ? '' : `••••${last4}`}</label></p>`
    })
  return page(texts, fields, texts.accounts, form(fields, 'finish', texts.link, rows.join('')))
}

/** Of the giant's accounts all are linked, whatever the page showed. An account that is known already becomes active again under its id. */
function finish(world: StripeWorld, fields: URLSearchParams, session: Session, bank: string): Reply {
  const { context } = world
  const now = secondsOf(context.now())
  const offered = accountsOf(world, session, bank)
  const chosen = offered.length > SHOWN ? offered : offered.filter(({ id }) => fields.getAll('account').includes(id))
  const linked = chosen.map((fresh) => {
    const known = context.state.accounts.find(({ id }) => id === fresh.id)
    const account = known ?? fresh
    if (!known) context.state.accounts.push(account)
    Object.assign(account, { status: 'active', permissions: session.permissions })
    if (session.prefetch.includes('transactions')) addRefresh(account, now)
    return account
  })
  session.accountIds = linked.map(({ id }) => id)
  context.save()
  return handOver(fields, { financialConnectionsSession: { id: session.id, accounts: toSession(world, session).accounts.data } })
}

/** A page that gives its news to the page around it, and only to that. */
function handOver(fields: URLSearchParams, news: unknown): Reply {
  const [text, opener] = [news, fields.get('opener') ?? ''].map((value) => JSON.stringify(value).replaceAll('<', '\\u003c'))
  const script = `parent.postMessage(${text}, ${opener})`
  return {
    status: 200,
    type: 'text/html; charset=utf-8',
    body: `<!doctype html><html lang="en"><title>Stripe</title><script>${script}</script>`,
  }
}

function form(fields: URLSearchParams, step: string, button: string, inputs: string): string {
  const kept = CARRIED.filter((name) => fields.has(name) && !inputs.includes(`name="${name}"`))
  const hidden = kept.map((name) => `<input type="hidden" name="${name}" value="${escaped(fields.get(name) ?? '')}">`).join('')
  return `<form action="/window/${step}" method="post">${hidden}${inputs}<p><button id="${step}">${button}</button></p></form>`
}

function page(texts: WindowTexts, fields: URLSearchParams, title: string, body: string): Reply {
  const head = `<!doctype html><html lang="${texts.language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>`
  const markup = `${head}<body style="font-family: sans-serif; margin: 2rem"><h1>${title}</h1>${body}${form(fields, 'exit', texts.close, '')}`
  return { status: 200, type: 'text/html; charset=utf-8', body: markup }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
