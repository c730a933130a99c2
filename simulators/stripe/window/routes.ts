import type { Call } from '../../kit/bank-simulator.ts'
import type { Reply } from '../../kit/http/response.ts'
import { escapeXml } from '../../kit/pages/escape-xml.ts'
import { addRefresh } from '../api/accounts.ts'
import { toSession } from '../api/routes.ts'
import { type Context, secondsOf } from '../context.ts'
import { accountsAt, INSTITUTIONS } from '../data/movements.ts'
import type { Account, Session } from '../state.ts'
import { windowScript } from './script.ts'
import { textsFor, type WindowTexts } from './texts.ts'

/** Parameters passed from page to page. */
const CARRIED = ['client_secret', 'locale', 'opener', 'institution'] as const
const SHOWN = 20

/** The script and the window; null for any other path. */
export function answerWindow(context: Context, call: Call): Reply | null {
  if (call.path === '/v3/') return { status: 200, type: 'text/javascript', body: windowScript(context.bank.baseUrl()) }
  const [found, step] = /^\/window(?:\/([a-z]+))?$/.exec(call.path) ?? []
  if (found === undefined) return null
  const fields = call.method === 'POST' ? new URLSearchParams(call.body) : call.query
  const texts = textsFor(fields.get('locale'))
  const session = context.bank.state.sessions.find(({ clientSecret }) => clientSecret === fields.get('client_secret'))
  if (!session) return handOver(fields, { error: { type: 'invalid_request_error', code: 'resource_missing' } })
  if (step === 'exit') return handOver(fields, { financialConnectionsSession: { id: session.id, accounts: [] } })
  const bank = INSTITUTIONS.find((name) => name === fields.get('institution'))
  if (step === undefined) return page(texts, fields, texts.agree, form(fields, 'choose', texts.go, ''))
  if (!bank) return page(texts, fields, texts.choose, form(fields, 'login', texts.next, options(texts)))
  if (step === 'accounts' && (fields.get('username') !== 'test' || fields.get('password') !== 'test'))
    return login(texts, fields, bank, true)
  if (step === 'accounts') return chooseAccounts(context, texts, fields, session, bank)
  return step === 'finish' ? finish(context, fields, session, bank) : login(texts, fields, bank, false)
}

function options(texts: WindowTexts): string {
  const list = INSTITUTIONS.map((name) => `<option>${escapeXml(name)}</option>`).join('')
  return `<p><label for="institution">${texts.institution}</label><br><select id="institution" name="institution">${list}</select></p>`
}

function login(texts: WindowTexts, fields: URLSearchParams, bank: string, isWrong: boolean): Reply {
  const inputs = `${isWrong ? `<p role="alert">${texts.wrong}</p>` : ''}<p><label for="username">${texts.username}</label><br><input id="username" name="username" value="test"></p>
<p><label for="password">${texts.password}</label><br><input id="password" name="password" type="password" value="test"></p><p>${texts.hint}</p>`
  return page(texts, fields, texts.signIn(escapeXml(bank)), form(fields, 'accounts', texts.next, inputs))
}

function accountsOf({ seed, giant, bank }: Context, session: Session, institution: string): Account[] {
  return accountsAt(seed, institution, session.customer, giant, secondsOf(bank.now()))
}

function chooseAccounts(context: Context, texts: WindowTexts, fields: URLSearchParams, session: Session, bank: string): Reply {
  const rows = accountsOf(context, session, bank)
    .slice(0, SHOWN)
    .map(({ id, name, last4 }) => {
      return `<p><label><input type="checkbox" name="account" value="${id}" checked> ${escapeXml(name)} ${last4 === null ? '' : `••••${last4}`}</label></p>`
    })
  return page(texts, fields, texts.accounts, form(fields, 'finish', texts.link, rows.join('')))
}

/**
 * All accounts of the giant are linked, whatever the page showed. A known account becomes active again under its id.
 */
function finish(context: Context, fields: URLSearchParams, session: Session, institution: string): Reply {
  const { bank } = context
  const now = secondsOf(bank.now())
  const offered = accountsOf(context, session, institution)
  const chosen = offered.length > SHOWN ? offered : offered.filter(({ id }) => fields.getAll('account').includes(id))
  const linked = chosen.map((fresh) => {
    const known = bank.state.accounts.find(({ id }) => id === fresh.id)
    const account = known ?? fresh
    if (!known) bank.state.accounts.push(account)
    Object.assign(account, { status: 'active', permissions: session.permissions })
    if (session.prefetch.includes('transactions')) addRefresh(account, now)
    return account
  })
  session.accountIds = linked.map(({ id }) => id)
  bank.save()
  return handOver(fields, { financialConnectionsSession: { id: session.id, accounts: toSession(context, session).accounts.data } })
}

/** A page that posts a message to the opener's origin only. */
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
  const hidden = kept.map((name) => `<input type="hidden" name="${name}" value="${escapeXml(fields.get(name) ?? '')}">`).join('')
  return `<form action="/window/${step}" method="post">${hidden}${inputs}<p><button id="${step}">${button}</button></p></form>`
}

function page(texts: WindowTexts, fields: URLSearchParams, title: string, body: string): Reply {
  const head = `<!doctype html><html lang="${texts.language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>`
  const markup = `${head}<body style="font-family: sans-serif; margin: 2rem"><h1>${title}</h1>${body}${form(fields, 'exit', texts.close, '')}`
  return { status: 200, type: 'text/html; charset=utf-8', body: markup }
}
