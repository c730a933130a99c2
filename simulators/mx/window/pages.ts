import { escapeXml } from '../../kit/pages/escape-xml.ts'
import type { MxInstitution } from '../data/institutions.ts'
import type { WidgetSession } from '../state.ts'
import { speaker, type TextKey } from './texts.ts'

/** Forms post to the page's own address. */
export function institutionPage(session: WidgetSession, wanted: string, found: readonly MxInstitution[]): string {
  const say = speaker(session.language)
  const choices = found.map(
    ({ code, name }) =>
      `<li><form method="post"><button class="choice" name="institution_code" value="${escapeXml(code)}">${escapeXml(name)}</button></form></li>`,
  )
  return page(session.language, say('chooseTitle'), [
    `<form method="get" role="search"><label for="q">${say('searchLabel')}</label>`,
    `<input id="q" name="q" type="search" value="${escapeXml(wanted)}"><button>${say('search')}</button></form>`,
    choices.length === 0 ? `<p role="status">${say('noResults')}</p>` : `<ul>${choices.join('')}</ul>`,
  ])
}

export function loginPage(session: WidgetSession, bank: string): string {
  const say = speaker(session.language)
  return page(session.language, say('loginTitle', { bank }), [
    problem(session, 'credentials', 'credentialsProblem'),
    `<form method="post"><p id="hint">${say('loginHint')}</p>`,
    `<label for="username">${say('username')}</label><input id="username" name="username" autocomplete="username" required aria-describedby="hint">`,
    `<label for="password">${say('password')}</label><input id="password" name="password" type="password" autocomplete="current-password" required>`,
    `<button>${say('signIn')}</button></form>`,
  ])
}

export function codePage(session: WidgetSession): string {
  const say = speaker(session.language)
  return page(session.language, say('codeTitle'), [
    problem(session, 'code', 'codeProblem'),
    `<form method="post"><p id="hint">${say('codeHint')}</p><label for="code">${say('code')}</label>`,
    `<input id="code" name="code" required aria-describedby="hint"><button>${say('continue')}</button></form>`,
  ])
}

/** Tells the page around it, as the widget does. Source: https://github.com/mxenabled/widget-post-message-definitions */
export function donePage(session: WidgetSession, bank: string): string {
  const metadata = { user_guid: session.userGuid, session_guid: session.token, member_guid: session.memberGuid }
  const message = JSON.stringify({ mx: true, type: 'mx/connect/memberConnected', metadata })
  return page(session.language, speaker(session.language)('doneTitle', { bank }), [`<script>parent.postMessage(${message}, '*')</script>`])
}

export function expiredPage(language: 'en' | 'fr'): string {
  const say = speaker(language)
  return page(language, say('expiredTitle'), [`<p>${say('expiredText')}</p>`])
}

function problem(session: WidgetSession, which: WidgetSession['problem'], key: TextKey): string {
  return session.problem === which ? `<p role="alert">${speaker(session.language)(key)}</p>` : ''
}

const STYLE = `body{font:1rem/1.5 system-ui,sans-serif;margin:0;padding:1rem;background:#fff;color:#1b2330}
h1{font-size:1.4rem}label{display:block;margin:.8rem 0 .2rem}
input{font:inherit;width:100%;box-sizing:border-box;padding:.6rem;border:1px solid #667;border-radius:.3rem}
button{font:inherit;min-height:2.75rem;margin-top:.8rem;padding:.5rem 1.2rem;border:0;border-radius:.3rem;background:#0b4f6c;color:#fff;cursor:pointer}
.choice{width:100%;text-align:left;background:#e8f1f4;color:#10303c;margin:.2rem 0}ul{list-style:none;padding:0}
[role=alert]{border-left:.3rem solid #a8201a;padding:.4rem 1rem;background:#fdf0ef}.sandbox{font-size:.9rem;color:#4a4a4a}
:focus-visible{outline:3px solid #a8480f;outline-offset:2px}`

function page(language: 'en' | 'fr', title: string, parts: readonly string[]): string {
  return (
    `<!doctype html><html lang="${language === 'fr' ? 'fr-CA' : 'en'}"><head><meta charset="utf-8"><title>${escapeXml(title)} – MX</title>` +
    `<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><style>${STYLE}</style></head>` +
    `<body><main><p class="sandbox">${speaker(language)('sandbox')}</p><h1>${escapeXml(title)}</h1>${parts.join('')}</main></body></html>`
  )
}
