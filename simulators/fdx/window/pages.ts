import { escapeXml } from '../../kit/pages/escape-xml.ts'
import type { Account } from '../data/accounts.ts'
import { type Language, say, type TextKey } from './texts.ts'

/** Pages of the bank: complete HTML without scripts. */
export interface PageOptions {
  language: Language
  bank: string
  /** Address that forms post to. */
  action: string
  problem: TextKey | null
}

export function loginPage({ language, bank, action, problem }: PageOptions): string {
  return page(language, bank, say(language, 'loginTitle', { bank }), [
    problemBox(language, problem),
    `<form method="post" action="${action}/login"><p id="hint">${say(language, 'loginHint')}</p>`,
    `<label for="username">${say(language, 'username')}</label>`,
    '<input id="username" name="username" autocomplete="username" value="business" required aria-describedby="hint">',
    `<label for="password">${say(language, 'password')}</label>`,
    '<input id="password" name="password" type="password" autocomplete="current-password" value="sandbox" required>',
    `<button>${say(language, 'signIn')}</button></form>`,
    cancelForm(language, action),
  ])
}

export function consentPage(options: PageOptions & { client: string; accounts: readonly Account[]; days: number }): string {
  const { language, bank, action, problem, client, accounts, days } = options
  const boxes = accounts.map(
    ({ id, product, nickname, display }) =>
      `<div><input type="checkbox" id="${id}" name="account" value="${id}" checked>` +
      `<label for="${id}">${escapeXml(nickname ?? product)}${display === null ? '' : ` ••${escapeXml(display.slice(-4))}`}</label></div>`,
  )
  return page(language, bank, say(language, 'consentTitle'), [
    problemBox(language, problem),
    `<p>${escapeXml(say(language, 'consentIntro', { client }))}</p>`,
    `<form method="post" action="${action}/consent"><fieldset><legend>${escapeXml(say(language, 'accountsLegend', { bank }))}</legend>`,
    boxes.length === 0 ? `<p>${say(language, 'noAccounts')}</p>` : boxes.join(''),
    `</fieldset><p>${say(language, 'until', { days: String(days) })}</p><button>${say(language, 'allow')}</button></form>`,
    cancelForm(language, action),
  ])
}

/** In both languages, since the request that named one is no longer available. */
export function errorPage(bank: string, code: string): string {
  const texts = (['en', 'fr'] as const).map(
    (language) =>
      `<section lang="${language}"><h1>${say(language, 'errorTitle')}</h1><p>${escapeXml(say(language, 'errorText', { code }))}</p></section>`,
  )
  return page('en', bank, say('en', 'errorTitle'), texts, false)
}

function cancelForm(language: Language, action: string): string {
  return `<form method="post" action="${action}/cancel"><button class="quiet">${say(language, 'cancel')}</button></form>`
}

function problemBox(language: Language, key: TextKey | null): string {
  return key === null ? '' : `<div role="alert"><h2>${say(language, 'problem')}</h2><p>${say(language, key)}</p></div>`
}

const STYLE = `:root{color-scheme:light}body{font:1.05rem/1.5 system-ui,sans-serif;margin:0;background:#eef3f0;color:#14211b}
main{max-width:32rem;margin:2rem auto;padding:1.5rem;background:#fff;border-radius:.6rem}
header{max-width:32rem;margin:1rem auto 0;padding:0 1.5rem;color:#3f4d46;font-size:.9rem}
h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.15rem}label{display:block;margin:.8rem 0 .2rem}div>label{display:inline;margin-left:.5rem}
input:not([type=checkbox]){width:100%;box-sizing:border-box;font:inherit;padding:.6rem;border:1px solid #5f6b65;border-radius:.3rem}
input[type=checkbox]{width:1.3rem;height:1.3rem;vertical-align:middle}fieldset{border:1px solid #c2ccc6;border-radius:.3rem}
button{font:inherit;margin-top:1rem;padding:.7rem 1.2rem;border:0;border-radius:.3rem;background:#0f5132;color:#fff;cursor:pointer}
.quiet{background:none;color:#0f5132;text-decoration:underline}
[role=alert]{border-left:.3rem solid #a8201a;padding:.1rem 1rem;background:#fdf0ef}
:focus-visible{outline:.2rem solid #c05a00;outline-offset:.1rem}`

function page(language: Language, bank: string, heading: string, parts: readonly string[], hasHeading = true): string {
  return (
    `<!doctype html><html lang="${language === 'fr' ? 'fr-CA' : 'en-CA'}"><head><meta charset="utf-8">` +
    `<title>${escapeXml(heading)} – ${escapeXml(bank)}</title><meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<meta name="robots" content="noindex"><style>${STYLE}</style></head><body><header><p>${say(language, 'sandbox')}</p></header>` +
    `<main>${hasHeading ? `<h1>${escapeXml(heading)}</h1>` : ''}${parts.join('')}</main></body></html>`
  )
}
