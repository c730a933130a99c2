import { escapeXml } from '../../kit/pages/escape-xml.ts'
import { createSpeaker, WINDOW_TEXTS } from '../../kit/pages/window-texts.ts'
import type { Institution } from '../data/institutions.ts'
import type { Link } from '../state.ts'

const TEXTS = {
  ...WINDOW_TEXTS,
  sandbox: { en: 'Simulated Mastercard Data Connect, made-up banks', fr: 'Mastercard Data Connect simulé, banques fictives' },
  choose: { en: 'Find your bank', fr: 'Trouvez votre institution financière' },
  login: { en: 'Sign in to {bank}', fr: 'Ouvrez une session chez {bank}' },
  fix: { en: 'Your bank asks you to sign in again.', fr: 'Votre institution vous demande d’ouvrir une nouvelle session.' },
  hint: {
    en: 'In this sandbox: any username with the password finbank; with finbank-code a code is asked for.',
    fr: 'Dans ce bac à sable : n’importe quel nom avec le mot de passe finbank ; avec finbank-code, un code est demandé.',
  },
  code: { en: 'Enter the code', fr: 'Entrez le code' },
  codeLabel: { en: 'Code from your bank', fr: 'Code reçu de votre institution' },
  codeHint: { en: 'In this sandbox: 1234.', fr: 'Dans ce bac à sable : 1234.' },
  accounts: { en: 'Share accounts of {bank}', fr: 'Partagez des comptes de {bank}' },
  exit: { en: 'Leave without connecting', fr: 'Quitter sans connecter' },
  problem: { en: 'There is a problem', fr: 'Il y a un problème' },
  credentialsProblem: { en: 'The username or the password is wrong.', fr: 'Le nom d’utilisateur ou le mot de passe est erroné.' },
  codeProblem: { en: 'That code is not right.', fr: 'Ce code n’est pas le bon.' },
  accountsProblem: { en: 'Choose at least one account.', fr: 'Choisissez au moins un compte.' },
  closed: { en: 'You can close this page', fr: 'Vous pouvez fermer cette page' },
  expired: { en: 'This link has expired', fr: 'Ce lien est expiré' },
  unknown: { en: 'This page does not exist', fr: 'Cette page n’existe pas' },
} as const

type Key = keyof typeof TEXTS
type Language = Link['language']

/** Pages of Data Connect: full HTML, no script. Forms post to `action` and a word behind it. */
export function institutionPage(link: Link, action: string, wanted: string, found: readonly Institution[]): string {
  const say = speaker(link.language)
  const banks = found.map(
    ({ id, name }) =>
      `<li><form method="post" action="${action}/institution"><input type="hidden" name="institutionId" value="${id}"><button>${escapeXml(name)}</button></form></li>`,
  )
  return page(link.language, say('choose'), [
    `<form method="get" action="${action}" role="search"><label for="q">${say('searchLabel')}</label>`,
    `<input id="q" name="q" type="search" value="${escapeXml(wanted)}"><button>${say('search')}</button></form>`,
    banks.length === 0 ? `<p role="status">${say('noResults')}</p>` : `<ul>${banks.join('')}</ul>`,
    exitForm(link.language, action),
  ])
}

export function loginPage(link: Link, action: string, bank: string): string {
  const say = speaker(link.language)
  return page(link.language, say('login', bank), [
    link.fixLoginId === null ? '' : `<p>${say('fix')}</p>`,
    alert(link.language, link.problem === 'credentials' ? 'credentialsProblem' : null),
    `<form method="post" action="${action}/login"><p id="hint">${say('hint')}</p>`,
    `<label for="username">${say('username')}</label><input id="username" name="username" autocomplete="username" value="owner" required aria-describedby="hint">`,
    `<label for="password">${say('password')}</label><input id="password" name="password" type="password" autocomplete="current-password" value="finbank" required>`,
    `<button>${say('signIn')}</button></form>`,
    exitForm(link.language, action),
  ])
}

export function codePage(link: Link, action: string): string {
  const say = speaker(link.language)
  return page(link.language, say('code'), [
    alert(link.language, link.problem === 'code' ? 'codeProblem' : null),
    `<form method="post" action="${action}/code"><p id="hint">${say('codeHint')}</p><label for="code">${say('codeLabel')}</label>`,
    '<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required aria-describedby="hint">',
    `<button>${say('continue')}</button></form>`,
    exitForm(link.language, action),
  ])
}

export function accountsPage(link: Link, action: string, bank: string, accounts: readonly { role: string; name: string }[]): string {
  const say = speaker(link.language)
  const boxes = accounts.map(
    ({ role, name }) =>
      `<div><input type="checkbox" id="${role}" name="account" value="${role}" checked><label for="${role}">${escapeXml(name)}</label></div>`,
  )
  return page(link.language, say('accounts', bank), [
    alert(link.language, link.problem === 'accounts' ? 'accountsProblem' : null),
    `<form method="post" action="${action}/accounts"><fieldset><legend>${say('accounts', bank)}</legend>${boxes.join('')}</fieldset>`,
    `<button>${say('continue')}</button></form>`,
    exitForm(link.language, action),
  ])
}

export function messagePage(language: Language, key: 'closed' | 'expired' | 'unknown'): string {
  return page(language, speaker(language)(key), [])
}

function speaker(language: Language): (key: Key, bank?: string) => string {
  return (key, bank = '') => escapeXml(createSpeaker(TEXTS, language)(key, { bank }))
}

function exitForm(language: Language, action: string): string {
  return `<form method="post" action="${action}/exit"><button class="quiet">${speaker(language)('exit')}</button></form>`
}

function alert(language: Language, key: Key | null): string {
  const say = speaker(language)
  return key === null ? '' : `<div role="alert"><h2>${say('problem')}</h2><p>${say(key)}</p></div>`
}

const STYLE = `body{font:1.05rem/1.5 system-ui,sans-serif;margin:0;background:#f6f3f0;color:#1c1c1c}
main{max-width:30rem;margin:2rem auto;padding:1.5rem;background:#fff;border-radius:.6rem}
header{max-width:30rem;margin:1rem auto 0;padding:0 1.5rem;color:#4a4a4a;font-size:.9rem}
h1{font-size:1.5rem;line-height:1.25}label{display:block;margin:.8rem 0 .2rem}div>label{display:inline;margin-left:.5rem}
input:not([type=checkbox]){width:100%;box-sizing:border-box;font:inherit;padding:.6rem;border:1px solid #6b6b6b;border-radius:.3rem}
button{font:inherit;margin-top:.6rem;padding:.7rem 1.2rem;border:0;border-radius:.3rem;background:#8a3a0a;color:#fff;cursor:pointer}
.quiet{background:none;color:#6d2c05;text-decoration:underline}ul{list-style:none;padding:0}fieldset{border:1px solid #c9c9c4}
[role=alert]{border-left:.3rem solid #a8201a;padding:.1rem 1rem;background:#fdf0ef}:focus-visible{outline:.2rem solid #1d4f91;outline-offset:.1rem}`

function page(language: Language, heading: string, parts: readonly string[]): string {
  return (
    `<!doctype html><html lang="${language === 'fr' ? 'fr-CA' : 'en'}"><head><meta charset="utf-8"><title>${heading} – Data Connect</title>` +
    `<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><style>${STYLE}</style></head>` +
    `<body><header><p>${speaker(language)('sandbox')}</p></header><main><h1>${heading}</h1>${parts.join('')}</main></body></html>`
  )
}
