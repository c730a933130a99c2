import { escapeXml } from './escape-xml.ts'
import type { PageLanguage } from './page-language.ts'

type Texts<Key extends string> = Readonly<Record<Key, { readonly en: string; readonly fr: string }>>

/** Maximum number of institutions that a search lists. */
export const LISTED = 12

/** Texts that windows share unless they have their own. */
const BANK_TEXTS = {
  choose: { en: 'Choose your bank', fr: 'Choisissez votre institution financière' },
  searchLabel: { en: 'Name of the bank or credit union', fr: 'Nom de la banque ou de la caisse' },
  search: { en: 'Search', fr: 'Rechercher' },
  noResults: { en: 'No bank has that name.', fr: 'Aucune institution ne porte ce nom.' },
  login: { en: 'Sign in to {bank}', fr: 'Ouvrez une session chez {bank}' },
  username: { en: 'Username', fr: 'Nom d’utilisateur' },
  password: { en: 'Password', fr: 'Mot de passe' },
  signIn: { en: 'Sign in', fr: 'Ouvrir une session' },
  continue: { en: 'Continue', fr: 'Continuer' },
  exit: { en: 'Leave without connecting', fr: 'Quitter sans connecter' },
  problem: { en: 'There is a problem', fr: 'Il y a un problème' },
  credentialsProblem: { en: 'The username or the password is wrong.', fr: 'Le nom d’utilisateur ou le mot de passe est erroné.' },
  code: { en: 'Enter the code', fr: 'Entrez le code' },
  codeLabel: { en: 'Code from your device', fr: 'Code reçu sur votre appareil' },
  codeHint: { en: 'In this sandbox: 1234.', fr: 'Dans ce bac à sable : 1234.' },
  codeProblem: { en: 'That code is not right.', fr: 'Ce code n’est pas le bon.' },
  accounts: { en: 'Share accounts of {bank}', fr: 'Partagez des comptes de {bank}' },
  accountsProblem: { en: 'Choose at least one account.', fr: 'Choisissez au moins un compte.' },
  closed: { en: 'You can close this page', fr: 'Vous pouvez fermer cette page' },
  unknown: { en: 'This page does not exist', fr: 'Cette page n’existe pas' },
} as const

/** Texts that every widget defines itself. */
type OwnKey = 'sandbox' | 'hint'
type AnyKey<Key> = Key | OwnKey | keyof typeof BANK_TEXTS

interface Look {
  /** Source name in the page title. */
  name: string
  background: string
  accent: string
  focus: string
}

/** How the pages of a widget submit forms; values are HTML. */
export interface WindowForms {
  /** Opening of the form of a step. */
  open(step: 'institution' | 'login' | 'code' | 'accounts'): string
  /** Opening of the form that searches institutions. */
  search: string
  /** Control that closes the widget; empty if there is none. */
  exit: string
}

/**
 * Widget of an aggregator: find the bank, sign in, answer a question, choose accounts, leave. Complete HTML, without
 * scripts of its own.
 */
export class BankWindow<Key extends string> {
  readonly #look: Look
  readonly #texts: Texts<AnyKey<Key>>

  constructor(look: Look, texts: Texts<Key | OwnKey>) {
    this.#look = look
    this.#texts = { ...BANK_TEXTS, ...texts }
  }

  /** Texts of one language, as HTML; `name` replaces the placeholder. */
  speaker(language: PageLanguage): (key: AnyKey<Key>, name?: string) => string {
    return (key, name = '') => escapeXml(this.#texts[key][language].replace(/\{\w+\}/g, () => name))
  }

  /** Heading and parts are HTML. */
  page(language: PageLanguage, heading: string, parts: readonly string[] = []): string {
    const { name } = this.#look
    return (
      `<!doctype html><html lang="${language === 'fr' ? 'fr-CA' : 'en'}"><head><meta charset="utf-8"><title>${heading} – ${name}</title>` +
      `<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">` +
      `<style>${toStyle(this.#look)}</style></head><body><header><p>${this.speaker(language)('sandbox')}</p></header>` +
      `<main><h1>${heading}</h1>${parts.join('')}</main></body></html>`
    )
  }

  /** Forms of a page without scripts: each step posts to its own address below `action`. */
  formsAt(language: PageLanguage, action: string): WindowForms {
    return {
      open: (step) => `<form method="post" action="${action}/${step}">`,
      search: `<form method="get" action="${action}" role="search">`,
      exit: `<form method="post" action="${action}/exit"><button class="quiet">${this.speaker(language)('exit')}</button></form>`,
    }
  }

  /** `field` is the form field of the institution id; `intro` is HTML. */
  institutionPage(
    language: PageLanguage,
    forms: WindowForms,
    list: { field: string; wanted: string; found: readonly { id: string | number; name: string }[]; intro?: string },
  ): string {
    const say = this.speaker(language)
    const banks = list.found.map(({ id, name }) => {
      const button = `<button class="choice" name="${list.field}" value="${escapeXml(String(id))}">${escapeXml(name)}</button>`
      return `<li>${forms.open('institution')}${button}</form></li>`
    })
    return this.page(language, say('choose'), [
      list.intro ?? '',
      `${forms.search}<label for="q">${say('searchLabel')}</label>`,
      `<input id="q" name="q" type="search" value="${escapeXml(list.wanted)}"><button>${say('search')}</button></form>`,
      banks.length === 0 ? `<p role="status">${say('noResults')}</p>` : `<ul>${banks.join('')}</ul>`,
      forms.exit,
    ])
  }

  /** `intro` is HTML; the fields are prefilled with the given login, if any. */
  loginPage(
    language: PageLanguage,
    forms: WindowForms,
    login: { bank: string; isWrong: boolean; intro?: string; username?: string; password?: string },
  ): string {
    const say = this.speaker(language)
    const { username = '', password = '' } = login
    return this.page(language, say('login', login.bank), [
      login.intro ?? '',
      this.alert(language, login.isWrong ? 'credentialsProblem' : null),
      `${forms.open('login')}<p id="hint">${say('hint')}</p>`,
      `<label for="username">${say('username')}</label><input id="username" name="username" autocomplete="username" value="${username}" required aria-describedby="hint">`,
      `<label for="password">${say('password')}</label><input id="password" name="password" type="password" autocomplete="current-password" value="${password}" required>`,
      `<button>${say('signIn')}</button></form>`,
      forms.exit,
    ])
  }

  /** Form for a code, or for the answer to another question of the bank; `intro` is HTML. */
  codePage(language: PageLanguage, forms: WindowForms, question: { isWrong: boolean; intro?: string; value?: string }): string {
    const say = this.speaker(language)
    return this.page(language, say('code'), [
      question.intro ?? '',
      this.alert(language, question.isWrong ? 'codeProblem' : null),
      `${forms.open('code')}<p id="hint">${say('codeHint')}</p><label for="code">${say('codeLabel')}</label>`,
      `<input id="code" name="code" value="${question.value ?? ''}" autocomplete="one-time-code" required aria-describedby="hint">`,
      `<button>${say('continue')}</button></form>`,
      forms.exit,
    ])
  }

  accountsPage(
    language: PageLanguage,
    forms: WindowForms,
    choice: { bank: string; isWrong: boolean; accounts: readonly { role: string; name: string }[] },
  ): string {
    const say = this.speaker(language)
    const heading = say('accounts', choice.bank)
    return this.page(language, heading, [
      this.alert(language, choice.isWrong ? 'accountsProblem' : null),
      `${forms.open('accounts')}${this.accountList(heading, choice.accounts)}`,
      `<button>${say('continue')}</button></form>`,
      forms.exit,
    ])
  }

  /** Checked boxes named `account`; the legend and the text for an empty list are HTML. */
  accountList(legend: string, accounts: readonly { role: string; name: string }[], whenEmpty = ''): string {
    const boxes = accounts.map(
      ({ role, name }) =>
        `<div><input type="checkbox" id="${role}" name="account" value="${role}" checked><label for="${role}">${escapeXml(name)}</label></div>`,
    )
    return `<fieldset><legend>${legend}</legend>${boxes.join('') || whenEmpty}</fieldset>`
  }

  /** Box of a problem; empty for null. */
  alert(language: PageLanguage, key: AnyKey<Key> | null): string {
    const say = this.speaker(language)
    return key === null ? '' : `<div role="alert"><h2>${say('problem')}</h2><p>${say(key)}</p></div>`
  }
}

function toStyle({ background, accent, focus }: Look): string {
  return `body{font:1.05rem/1.5 system-ui,sans-serif;margin:0;background:${background};color:#1c1c1c}
main{max-width:30rem;margin:2rem auto;padding:1.5rem;background:#fff;border-radius:.6rem}
header{max-width:30rem;margin:1rem auto 0;padding:0 1.5rem;color:#43474a;font-size:.9rem}
h1{font-size:1.5rem;line-height:1.25}label{display:block;margin:.8rem 0 .2rem}div>label{display:inline;margin-left:.5rem}
input:not([type=checkbox]){width:100%;box-sizing:border-box;font:inherit;padding:.6rem;border:1px solid #5f6666;border-radius:.3rem}
button{font:inherit;margin-top:.6rem;padding:.7rem 1.2rem;border:0;border-radius:.3rem;background:${accent};color:#fff;cursor:pointer}
.choice{width:100%;text-align:left}.quiet{background:none;color:${accent};text-decoration:underline}
ul{list-style:none;padding:0}fieldset{border:1px solid #c9c9c4}
[role=alert]{border-left:.3rem solid #a8201a;padding:.1rem 1rem;background:#fdf0ef}:focus-visible{outline:.2rem solid ${focus};outline-offset:.1rem}`
}
