import type { SimulatedInstitution } from '../../kit/data/institutions.ts'
import { escapeXml } from '../../kit/pages/escape-xml.ts'
import type { OfferedAccount } from '../data/accounts.ts'
import type { LinkSession, LinkToken } from '../state.ts'
import { type Speak, speaker, type TextKey } from './texts.ts'

/** Pages of the hosted Link: full HTML, no script. `action` is the address that forms post to, without a trailing slash. */
export function institutionPage(token: LinkToken, action: string, query: string, found: readonly SimulatedInstitution[]): string {
  const say = speaker(token.language)
  const results = found.map(
    (institution) =>
      `<li><form method="post" action="${action}/institution"><input type="hidden" name="institution_id" value="${escapeXml(institution.id)}">` +
      `<button class="choice">${escapeXml(institution.name)}</button></form></li>`,
  )
  return page(token, 'chooseTitle', {}, [
    `<p>${escapeXml(say('chooseIntro', { client: token.clientName }))}</p>`,
    `<form method="get" action="${action}" role="search"><label for="q">${say('searchLabel')}</label>`,
    `<input id="q" name="q" type="search" value="${escapeXml(query)}" autocomplete="off"><button>${say('search')}</button></form>`,
    `<h2>${say('results')}</h2>`,
    results.length === 0 ? `<p role="status">${say('noResults')}</p>` : `<ul>${results.join('')}</ul>`,
    exitForm(say, action),
  ])
}

export function loginPage(token: LinkToken, session: LinkSession, action: string, bank: string): string {
  const say = speaker(token.language)
  return page(token, 'loginTitle', { bank }, [
    token.updateItemId === null ? '' : `<p>${escapeXml(say('repairIntro', { client: token.clientName }))}</p>`,
    problem(say, session.problem === 'credentials' ? 'credentialsProblem' : null),
    `<form method="post" action="${action}/login"><p id="hint">${say('loginHint')}</p>`,
    `<label for="username">${say('username')}</label><input id="username" name="username" autocomplete="username" required aria-describedby="hint">`,
    `<label for="password">${say('password')}</label>`,
    '<input id="password" name="password" type="password" autocomplete="current-password" required>',
    `<button>${say('signIn')}</button></form>`,
    exitForm(say, action),
  ])
}

export function codePage(token: LinkToken, session: LinkSession, action: string): string {
  const say = speaker(token.language)
  return page(token, 'codeTitle', {}, [
    problem(say, session.problem === 'code' ? 'codeProblem' : null),
    `<form method="post" action="${action}/code"><p id="hint">${say('codeHint')}</p><label for="code">${say('code')}</label>`,
    '<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required aria-describedby="hint">',
    `<button>${say('continue')}</button></form>`,
    exitForm(say, action),
  ])
}

export function accountsPage(
  token: LinkToken,
  session: LinkSession,
  action: string,
  bank: string,
  accounts: readonly OfferedAccount[],
): string {
  const say = speaker(token.language)
  const boxes = accounts.map(
    (account) =>
      `<div><input type="checkbox" id="${account.role}" name="account" value="${account.role}" checked>` +
      `<label for="${account.role}">${escapeXml(account.officialName ?? account.name)} ••${escapeXml(account.mask ?? '')}</label></div>`,
  )
  return page(token, 'accountsTitle', {}, [
    problem(say, session.problem === 'accounts' ? 'accountsProblem' : null),
    `<form method="post" action="${action}/accounts"><fieldset><legend>${escapeXml(say('accountsLegend', { bank }))}</legend>${boxes.join('')}`,
    `</fieldset><button>${say('continue')}</button></form>`,
    exitForm(say, action),
  ])
}

export function successPage(token: LinkToken, action: string): string {
  const say = speaker(token.language)
  return page(token, token.updateItemId === null ? 'successTitle' : 'successRepaired', {}, [
    `<form method="post" action="${action}/finish"><button>${say('finish')}</button></form>`,
  ])
}

export function closedPage(token: LinkToken): string {
  return page(token, 'closedTitle', {}, [])
}

export function expiredPage(token: LinkToken): string {
  return page(token, 'expiredTitle', {}, [`<p>${speaker(token.language)('expiredText')}</p>`])
}

export function unknownPage(): string {
  return page({ language: 'en' }, 'unknownTitle', {}, [])
}

function exitForm(say: Speak, action: string): string {
  return `<form method="post" action="${action}/exit"><button class="quiet">${say('exit')}</button></form>`
}

function problem(say: Speak, key: TextKey | null): string {
  return key === null ? '' : `<div role="alert"><h2>${say('problem')}</h2><p>${say(key)}</p></div>`
}

const STYLE = `:root{color-scheme:light}body{font:1.05rem/1.5 system-ui,sans-serif;margin:0;background:#f4f4f1;color:#1b1b1b}
main{max-width:30rem;margin:2rem auto;padding:1.5rem;background:#fff;border-radius:.6rem}
header{max-width:30rem;margin:1rem auto 0;padding:0 1.5rem;color:#4a4a4a;font-size:.9rem}
h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.15rem}
label{display:block;margin:.8rem 0 .2rem}div>label{display:inline;margin-left:.5rem}
input:not([type=checkbox]){width:100%;box-sizing:border-box;font:inherit;padding:.6rem;border:1px solid #6b6b6b;border-radius:.3rem}
input[type=checkbox]{width:1.3rem;height:1.3rem;vertical-align:middle}fieldset{border:1px solid #c9c9c4;border-radius:.3rem}
button{font:inherit;margin-top:1rem;padding:.7rem 1.2rem;border:0;border-radius:.3rem;background:#14375e;color:#fff;cursor:pointer}
.choice{width:100%;text-align:left;background:#e9eef4;color:#12263d;margin:.2rem 0}.quiet{background:none;color:#14375e;text-decoration:underline}
ul{list-style:none;padding:0}[role=alert]{border-left:.3rem solid #a8201a;padding:.1rem 1rem;background:#fdf0ef}
:focus-visible{outline:.2rem solid #c05a00;outline-offset:.1rem}`

function page(token: Pick<LinkToken, 'language'>, title: TextKey, values: Record<string, string>, parts: readonly string[]): string {
  const say = speaker(token.language)
  const heading = escapeXml(say(title, values))
  return (
    `<!doctype html><html lang="${token.language}"><head><meta charset="utf-8"><title>${heading} – Plaid</title>` +
    `<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><style>${STYLE}</style></head>` +
    `<body><header><p>${say('sandbox')}</p></header><main><h1>${heading}</h1>${parts.join('')}</main></body></html>`
  )
}
