import { escapeXml } from '../../kit/pages/escape-xml.ts'
import type { Provider } from '../data/institutions.ts'
import type { Session } from './session.ts'
import { speaker, type TextKey } from './texts.ts'

export function bankPage(session: Session, wanted: string, found: readonly Provider[]): string {
  const say = speaker(session.language)
  const choices = found.map(
    ({ id, name }) => `<li>${form(session)}<button class="choice" name="providerId" value="${id}">${escapeXml(name)}</button></form></li>`,
  )
  return page(session, say('chooseTitle'), [
    `${form(session)}<label for="q">${say('searchLabel')}</label><input id="q" name="q" type="search" value="${escapeXml(wanted)}">`,
    `<button>${say('search')}</button></form>`,
    choices.length === 0 ? `<p role="status">${say('noResults')}</p>` : `<ul>${choices.join('')}</ul>`,
    exitButton(session, 'exit'),
  ])
}

export function loginPage(session: Session, bank: string): string {
  const say = speaker(session.language)
  return page(session, say('loginTitle', { bank }), [
    problem(session, 'credentials', 'credentialsProblem'),
    `${form(session)}<p id="hint">${say('loginHint')}</p>`,
    `<label for="username">${say('username')}</label><input id="username" name="username" autocomplete="username" required aria-describedby="hint">`,
    `<label for="password">${say('password')}</label><input id="password" name="password" type="password" autocomplete="current-password" required>`,
    `<button>${say('signIn')}</button></form>`,
    exitButton(session, 'exit'),
  ])
}

export function codePage(session: Session): string {
  const say = speaker(session.language)
  return page(session, say('codeTitle'), [
    problem(session, 'code', 'codeProblem'),
    `${form(session)}<p id="hint">${say('codeHint')}</p><label for="code">${say('code')}</label>`,
    `<input id="code" name="code" required aria-describedby="hint"><button>${say('continue')}</button></form>`,
    exitButton(session, 'exit'),
  ])
}

/** Tells the page around it at once that a bank was linked, and when the owner closes. */
export function donePage(session: Session, { id, name }: Provider): string {
  const say = speaker(session.language)
  const data = {
    providerAccountId: session.providerAccountId,
    providerId: id,
    providerName: name,
    requestId: session.id,
    status: 'SUCCESS',
  }
  return page(session, say('doneTitle', { bank: name }), [
    `<script>parent.postMessage(${JSON.stringify({ fnToCall: 'onSuccess', data })}, '*')</script>`,
    exitButton(session, 'finish'),
    `${form(session)}<button class="quiet" name="another" value="1">${say('another')}</button></form>`,
  ])
}

export function expiredPage(language: 'en' | 'fr'): string {
  return page({ language }, speaker(language)('expiredTitle'), [])
}

/** Closes FastLink: the page around it hears what was linked. */
function exitButton(session: Session, key: TextKey): string {
  const sites = session.linked.map((providerAccountId) => ({ providerAccountId, status: 'SUCCESS' }))
  const message = escapeXml(JSON.stringify({ fnToCall: 'onExit', data: { action: 'exit', sites } }))
  return `<button id="exit" data-message="${message}" onclick="parent.postMessage(JSON.parse(this.dataset.message), '*')">${speaker(session.language)(key)}</button>`
}

/** The beginning of a form of the session. */
function form({ id }: Session): string {
  return `<form method="post" action="/fastlink/${id}">`
}

function problem(session: Session, which: Session['problem'], key: TextKey): string {
  return session.problem === which ? `<p role="alert">${speaker(session.language)(key)}</p>` : ''
}

const STYLE = `body{font:1rem/1.5 system-ui,sans-serif;margin:0;padding:1rem;background:#fff;color:#1b2330}
h1{font-size:1.4rem}label{display:block;margin:.8rem 0 .2rem}
input{font:inherit;width:100%;box-sizing:border-box;padding:.6rem;border:1px solid #667;border-radius:.3rem}
button{font:inherit;min-height:2.75rem;margin-top:.8rem;padding:.5rem 1.2rem;border:0;border-radius:.3rem;background:#5b2a86;color:#fff;cursor:pointer}
.choice{width:100%;text-align:left;background:#f0eaf5;color:#2c1442;margin:.2rem 0}.quiet{background:#fff;color:#5b2a86;text-decoration:underline}
ul{list-style:none;padding:0}[role=alert]{border-left:.3rem solid #a8201a;padding:.4rem 1rem;background:#fdf0ef}.sandbox{font-size:.9rem;color:#4a4a4a}
:focus-visible{outline:3px solid #a8480f;outline-offset:2px}`

function page({ language }: Pick<Session, 'language'>, title: string, parts: readonly string[]): string {
  return (
    `<!doctype html><html lang="${language === 'fr' ? 'fr-CA' : 'en'}"><head><meta charset="utf-8"><title>${escapeXml(title)} – FastLink</title>` +
    `<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><style>${STYLE}</style></head>` +
    `<body><main><p class="sandbox">${speaker(language)('sandbox')}</p><h1>${escapeXml(title)}</h1>${parts.join('')}</main></body></html>`
  )
}
