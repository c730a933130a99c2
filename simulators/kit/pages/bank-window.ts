import { escapeXml } from './escape-xml.ts'
import type { PageLanguage } from './page-language.ts'
import { createSpeaker, type Texts, WINDOW_TEXTS } from './window-texts.ts'

/** Words that windows with these forms share. */
const BANK_TEXTS = {
  ...WINDOW_TEXTS,
  login: { en: 'Sign in to {bank}', fr: 'Ouvrez une session chez {bank}' },
  exit: { en: 'Leave without connecting', fr: 'Quitter sans connecter' },
  problem: { en: 'There is a problem', fr: 'Il y a un problème' },
  credentialsProblem: { en: 'The username or the password is wrong.', fr: 'Le nom d’utilisateur ou le mot de passe est erroné.' },
  closed: { en: 'You can close this page', fr: 'Vous pouvez fermer cette page' },
  unknown: { en: 'This page does not exist', fr: 'Cette page n’existe pas' },
} as const
type BankTextKey = keyof typeof BANK_TEXTS

interface Look {
  /** The source's name in the page's title. */
  name: string
  background: string
  accent: string
  focus: string
}

/** A window of an aggregator: find the bank, sign in, answer, leave. Full HTML, no script; forms post to `action` and a word behind it. */
export function createBankWindow<Key extends string>(look: Look, texts: Texts<Key | 'sandbox' | 'choose' | 'hint'>) {
  const all = { ...BANK_TEXTS, ...texts }
  type AnyKey = Key | BankTextKey | 'sandbox' | 'choose' | 'hint'

  /** Texts of one language, as HTML. */
  const speaker =
    (language: PageLanguage) =>
    (key: AnyKey, bank = ''): string =>
      escapeXml(createSpeaker<AnyKey>(all, language)(key, { bank }))

  const exitForm = (language: PageLanguage, action: string): string =>
    `<form method="post" action="${action}/exit"><button class="quiet">${speaker(language)('exit')}</button></form>`

  const alert = (language: PageLanguage, key: AnyKey | null): string => {
    const say = speaker(language)
    return key === null ? '' : `<div role="alert"><h2>${say('problem')}</h2><p>${say(key)}</p></div>`
  }

  const page = (language: PageLanguage, heading: string, parts: readonly string[]): string =>
    `<!doctype html><html lang="${language === 'fr' ? 'fr-CA' : 'en'}"><head><meta charset="utf-8"><title>${heading} – ${look.name}</title>` +
    `<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><style>${toStyle(look)}</style></head>` +
    `<body><header><p>${speaker(language)('sandbox')}</p></header><main><h1>${heading}</h1>${parts.join('')}</main></body></html>`

  return {
    speaker,
    exitForm,
    alert,
    page,

    institutionPage(language: PageLanguage, action: string, wanted: string, found: readonly { id: number; name: string }[]): string {
      const say = speaker(language)
      const banks = found.map(
        ({ id, name }) =>
          `<li><form method="post" action="${action}/institution"><input type="hidden" name="institutionId" value="${id}"><button>${escapeXml(name)}</button></form></li>`,
      )
      return page(language, say('choose'), [
        `<form method="get" action="${action}" role="search"><label for="q">${say('searchLabel')}</label>`,
        `<input id="q" name="q" type="search" value="${escapeXml(wanted)}"><button>${say('search')}</button></form>`,
        banks.length === 0 ? `<p role="status">${say('noResults')}</p>` : `<ul>${banks.join('')}</ul>`,
        exitForm(language, action),
      ])
    },

    /** `intro` is HTML; the fields are filled with what opens an account. */
    loginPage(
      language: PageLanguage,
      action: string,
      login: { bank: string; intro: string; isWrong: boolean; username: string; password: string },
    ): string {
      const say = speaker(language)
      return page(language, say('login', login.bank), [
        login.intro,
        alert(language, login.isWrong ? 'credentialsProblem' : null),
        `<form method="post" action="${action}/login"><p id="hint">${say('hint')}</p>`,
        `<label for="username">${say('username')}</label><input id="username" name="username" autocomplete="username" value="${login.username}" required aria-describedby="hint">`,
        `<label for="password">${say('password')}</label><input id="password" name="password" type="password" autocomplete="current-password" value="${login.password}" required>`,
        `<button>${say('signIn')}</button></form>`,
        exitForm(language, action),
      ])
    },
  }
}

function toStyle({ background, accent, focus }: Look): string {
  return `body{font:1.05rem/1.5 system-ui,sans-serif;margin:0;background:${background};color:#1c1c1c}
main{max-width:30rem;margin:2rem auto;padding:1.5rem;background:#fff;border-radius:.6rem}
header{max-width:30rem;margin:1rem auto 0;padding:0 1.5rem;color:#43474a;font-size:.9rem}
h1{font-size:1.5rem;line-height:1.25}label{display:block;margin:.8rem 0 .2rem}div>label{display:inline;margin-left:.5rem}
input:not([type=checkbox]){width:100%;box-sizing:border-box;font:inherit;padding:.6rem;border:1px solid #5f6666;border-radius:.3rem}
button{font:inherit;margin-top:.6rem;padding:.7rem 1.2rem;border:0;border-radius:.3rem;background:${accent};color:#fff;cursor:pointer}
.quiet{background:none;color:${accent};text-decoration:underline}ul{list-style:none;padding:0}fieldset{border:1px solid #c9c9c4}
[role=alert]{border-left:.3rem solid #a8201a;padding:.1rem 1rem;background:#fdf0ef}:focus-visible{outline:.2rem solid ${focus};outline-offset:.1rem}`
}
