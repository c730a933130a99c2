import { BankWindow } from '../../kit/pages/bank-window.ts'
import { escapeXml } from '../../kit/pages/escape-xml.ts'
import type { PageLanguage } from '../../kit/pages/page-language.ts'
import type { Account } from '../data/accounts.ts'

/** Window of a bank, which names itself in the title. */
const bankWindow = (name: string) =>
  new BankWindow(
    { name: escapeXml(name), background: '#eef3f0', accent: '#0f5132', focus: '#c05a00' },
    {
      sandbox: { en: 'Simulated bank, made-up accounts', fr: 'Institution simulée, comptes fictifs' },
      hint: {
        en: 'In this sandbox: the username business and the password sandbox. The username giant has hundreds of accounts, empty has none.',
        fr: 'Dans ce bac à sable : le nom d’utilisateur business et le mot de passe sandbox. Le nom giant a des centaines de comptes, empty n’en a aucun.',
      },
      exit: { en: 'Cancel', fr: 'Annuler' },
      consent: { en: 'Share your accounts', fr: 'Partagez vos comptes' },
      consentIntro: {
        en: '{client} asks to read balances, details and transactions of the accounts that you choose. It cannot move money.',
        fr: '{client} demande à lire les soldes, les détails et les opérations des comptes que vous choisissez. Aucun mouvement d’argent n’est possible.',
      },
      accounts: { en: 'Accounts at {bank}', fr: 'Comptes chez {bank}' },
      noAccounts: { en: 'You have no accounts here.', fr: 'Vous n’avez aucun compte ici.' },
      until: {
        en: 'You can take this back at any time. It ends by itself after {days} days without use.',
        fr: 'Vous pouvez retirer cet accord en tout temps. Il prend fin de lui-même après {days} jours sans utilisation.',
      },
      allow: { en: 'Allow', fr: 'Autoriser' },
      error: { en: 'This request cannot be continued', fr: 'Cette demande ne peut pas se poursuivre' },
      errorText: { en: 'Go back and start again. Code: {code}', fr: 'Revenez en arrière et recommencez. Code : {code}' },
    },
  )

export interface PageOptions {
  language: PageLanguage
  bank: string
  /** Address of the forms, without a trailing slash. */
  action: string
  problem: 'credentials' | 'accounts' | null
}

export function loginPage({ language, bank, action, problem }: PageOptions): string {
  const window = bankWindow(bank)
  const login = { bank, isWrong: problem === 'credentials', username: 'business', password: 'sandbox' }
  return window.loginPage(language, window.formsAt(language, action), login)
}

export function consentPage(options: PageOptions & { client: string; accounts: readonly Account[]; days: number }): string {
  const { language, bank, action, problem, client, accounts, days } = options
  const window = bankWindow(bank)
  const say = window.speaker(language)
  const offered = accounts.map(({ id, product, nickname, display }) => ({
    role: id,
    name: `${nickname ?? product}${display === null ? '' : ` ••${display.slice(-4)}`}`,
  }))
  return window.page(language, say('consent'), [
    window.alert(language, problem === 'accounts' ? 'accountsProblem' : null),
    `<p>${say('consentIntro', client)}</p><form method="post" action="${action}/consent">`,
    window.accountList(say('accounts', bank), offered, `<p>${say('noAccounts')}</p>`),
    `<p>${say('until', String(days))}</p><button>${say('allow')}</button></form>`,
    window.formsAt(language, action).exit,
  ])
}

/** In both languages, since the request that named one is no longer available. */
export function errorPage(bank: string, code: string): string {
  const window = bankWindow(bank)
  const french = window.speaker('fr')
  return window.page('en', window.speaker('en')('error'), [
    `<p>${window.speaker('en')('errorText', code)}</p>`,
    `<section lang="fr"><h2>${french('error')}</h2><p>${french('errorText', code)}</p></section>`,
  ])
}
