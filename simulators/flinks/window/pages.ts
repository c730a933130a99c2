import { escapeXml } from '../../kit/pages/escape-xml.ts'
import { createSpeaker, WINDOW_TEXTS } from '../../kit/pages/window-texts.ts'
import type { Institution } from '../data/institutions.ts'
import type { Flow } from '../state.ts'

const TEXTS = {
  ...WINDOW_TEXTS,
  sandbox: { en: 'Simulated Flinks Connect, made-up banks', fr: 'Flinks Connect simulé, banques fictives' },
  choose: { en: 'Choose your bank', fr: 'Choisissez votre institution financière' },
  searchLabel: { en: 'Name of the bank or caisse', fr: 'Nom de la banque ou de la caisse' },
  login: { en: 'Sign in to {bank}', fr: 'Ouvrez une session chez {bank}' },
  hint: {
    en: 'In this sandbox: Greatday and Everyday. The username giant opens very many accounts, Empty opens none.',
    fr: 'Dans ce bac à sable : Greatday et Everyday. Le nom giant ouvre un très grand nombre de comptes, Empty n’en ouvre aucun.',
  },
  question: { en: 'Your bank asks a question', fr: 'Votre institution vous pose une question' },
  mend: { en: 'Answer it so that your accounts can be read again.', fr: 'Répondez-y pour que vos comptes puissent de nouveau être lus.' },
  questionLabel: { en: 'What city were you born in?', fr: 'Dans quelle ville êtes-vous né ?' },
  questionHint: { en: 'In this sandbox: Montreal.', fr: 'Dans ce bac à sable : Montréal.' },
  exit: { en: 'Leave without connecting', fr: 'Quitter sans connecter' },
  problem: { en: 'There is a problem', fr: 'Il y a un problème' },
  credentialsProblem: { en: 'The username or the password is wrong.', fr: 'Le nom d’utilisateur ou le mot de passe est erroné.' },
  answerProblem: { en: 'That answer is not right.', fr: 'Cette réponse n’est pas la bonne.' },
  closed: { en: 'You can close this page', fr: 'Vous pouvez fermer cette page' },
  expired: { en: 'This page has expired', fr: 'Cette page a expiré' },
  unknown: { en: 'This page does not exist', fr: 'Cette page n’existe pas' },
  refused: { en: 'The request of the app is not valid', fr: 'La demande de l’application n’est pas valide' },
} as const

type Key = keyof typeof TEXTS
type Language = Flow['language']

/** Pages of Flinks Connect: full HTML, no script. Forms post to `action` and a word behind it. */
export function institutionPage(flow: Flow, action: string, wanted: string, found: readonly Institution[]): string {
  const say = speaker(flow.language)
  const banks = found.map(
    ({ id, en, fr }) =>
      `<li><form method="post" action="${action}/institution"><input type="hidden" name="institutionId" value="${id}">` +
      `<button>${escapeXml(flow.language === 'fr' ? fr : en)}</button></form></li>`,
  )
  return page(flow.language, say('choose'), [
    `<form method="get" action="${action}" role="search"><label for="q">${say('searchLabel')}</label>`,
    `<input id="q" name="q" type="search" value="${escapeXml(wanted)}"><button>${say('search')}</button></form>`,
    banks.length === 0 ? `<p role="status">${say('noResults')}</p>` : `<ul>${banks.join('')}</ul>`,
    exitForm(flow.language, action),
  ])
}

export function loginPage(flow: Flow, action: string, bank: string): string {
  const say = speaker(flow.language)
  return page(flow.language, say('login', bank), [
    alert(flow.language, flow.problem === 'credentials' ? 'credentialsProblem' : null),
    `<form method="post" action="${action}/login"><p id="hint">${say('hint')}</p>`,
    `<label for="username">${say('username')}</label><input id="username" name="username" autocomplete="username" value="Greatday" required aria-describedby="hint">`,
    `<label for="password">${say('password')}</label><input id="password" name="password" type="password" autocomplete="current-password" value="Everyday" required>`,
    `<button>${say('signIn')}</button></form>`,
    exitForm(flow.language, action),
  ])
}

export function questionPage(flow: Flow, action: string): string {
  const say = speaker(flow.language)
  return page(flow.language, say('question'), [
    flow.mending === null ? '' : `<p>${say('mend')}</p>`,
    alert(flow.language, flow.problem === 'answer' ? 'answerProblem' : null),
    `<form method="post" action="${action}/question"><p id="hint">${say('questionHint')}</p><label for="answer">${say('questionLabel')}</label>`,
    `<input id="answer" name="answer" value="Montreal" autocomplete="off" required aria-describedby="hint"><button>${say('continue')}</button></form>`,
    exitForm(flow.language, action),
  ])
}

export function messagePage(language: Language, key: 'closed' | 'expired' | 'unknown' | 'refused'): string {
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

const STYLE = `body{font:1.05rem/1.5 system-ui,sans-serif;margin:0;background:#eef4f1;color:#16231d}
main{max-width:30rem;margin:2rem auto;padding:1.5rem;background:#fff;border-radius:.6rem}
header{max-width:30rem;margin:1rem auto 0;padding:0 1.5rem;color:#43514a;font-size:.9rem}
h1{font-size:1.5rem;line-height:1.25}label{display:block;margin:.8rem 0 .2rem}
input{width:100%;box-sizing:border-box;font:inherit;padding:.6rem;border:1px solid #5f6d66;border-radius:.3rem}
button{font:inherit;margin-top:.6rem;padding:.7rem 1.2rem;border:0;border-radius:.3rem;background:#0b5d3b;color:#fff;cursor:pointer}
.quiet{background:none;color:#0b5d3b;text-decoration:underline}ul{list-style:none;padding:0}
[role=alert]{border-left:.3rem solid #a8201a;padding:.1rem 1rem;background:#fdf0ef}:focus-visible{outline:.2rem solid #c05a00;outline-offset:.1rem}`

function page(language: Language, heading: string, parts: readonly string[]): string {
  return (
    `<!doctype html><html lang="${language === 'fr' ? 'fr-CA' : 'en'}"><head><meta charset="utf-8"><title>${heading} – Flinks Connect</title>` +
    `<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><style>${STYLE}</style></head>` +
    `<body><header><p>${speaker(language)('sandbox')}</p></header><main><h1>${heading}</h1>${parts.join('')}</main></body></html>`
  )
}
