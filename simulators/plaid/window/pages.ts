import type { SimulatedInstitution } from '../../kit/data/institutions.ts'
import { BankWindow } from '../../kit/pages/bank-window.ts'
import type { OfferedAccount } from '../data/accounts.ts'
import type { LinkSession, LinkToken } from '../state.ts'

const bankWindow = new BankWindow(
  { name: 'Plaid', background: '#f4f4f1', accent: '#14375e', focus: '#c05a00' },
  {
    sandbox: { en: 'Simulated Plaid, made-up banks', fr: 'Plaid simulé, banques fictives' },
    chooseIntro: { en: '{client} uses Plaid to connect your accounts.', fr: '{client} utilise Plaid pour connecter vos comptes.' },
    repairIntro: {
      en: 'Sign in again so that {client} can keep reading your accounts.',
      fr: 'Ouvrez une nouvelle session pour que {client} puisse continuer à lire vos comptes.',
    },
    hint: {
      en: 'In this sandbox: user_good and pass_good. With mfa_device as the password, a code is asked for.',
      fr: 'Dans ce bac à sable : user_good et pass_good. Avec le mot de passe mfa_device, un code est demandé.',
    },
    accounts: { en: 'Choose the accounts at {bank}', fr: 'Choisissez les comptes chez {bank}' },
    success: { en: 'Your accounts are connected', fr: 'Vos comptes sont connectés' },
    repaired: { en: 'Your sign-in is renewed', fr: 'Votre session est renouvelée' },
    finish: { en: 'Finish', fr: 'Terminer' },
    expired: { en: 'This link has expired', fr: 'Ce lien est expiré' },
    expiredText: { en: 'Go back and start again.', fr: 'Revenez en arrière et recommencez.' },
  },
)

/** Pages of hosted Link. `action` is the address that forms post to, without a trailing slash. */
export function institutionPage(token: LinkToken, action: string, wanted: string, found: readonly SimulatedInstitution[]): string {
  const { language, clientName } = token
  const intro = `<p>${bankWindow.speaker(language)('chooseIntro', clientName)}</p>`
  return bankWindow.institutionPage(language, bankWindow.formsAt(language, action), { field: 'institution_id', wanted, found, intro })
}

export function loginPage({ language, clientName, updateItemId }: LinkToken, session: LinkSession, action: string, bank: string): string {
  const intro = updateItemId === null ? '' : `<p>${bankWindow.speaker(language)('repairIntro', clientName)}</p>`
  return bankWindow.loginPage(language, bankWindow.formsAt(language, action), { bank, intro, isWrong: session.problem === 'credentials' })
}

export function codePage({ language }: LinkToken, session: LinkSession, action: string): string {
  return bankWindow.codePage(language, bankWindow.formsAt(language, action), { isWrong: session.problem === 'code' })
}

export function accountsPage(
  { language }: LinkToken,
  session: LinkSession,
  action: string,
  bank: string,
  offered: readonly OfferedAccount[],
): string {
  const accounts = offered.map(({ role, officialName, name, mask }) => ({ role, name: `${officialName ?? name} ••${mask ?? ''}` }))
  return bankWindow.accountsPage(language, bankWindow.formsAt(language, action), {
    bank,
    isWrong: session.problem === 'accounts',
    accounts,
  })
}

export function successPage({ language, updateItemId }: LinkToken, action: string): string {
  const say = bankWindow.speaker(language)
  return bankWindow.page(language, say(updateItemId === null ? 'success' : 'repaired'), [
    `<form method="post" action="${action}/finish"><button>${say('finish')}</button></form>`,
  ])
}

export function expiredPage({ language }: LinkToken): string {
  const say = bankWindow.speaker(language)
  return bankWindow.page(language, say('expired'), [`<p>${say('expiredText')}</p>`])
}

export function messagePage(language: LinkToken['language'], key: 'closed' | 'unknown'): string {
  return bankWindow.page(language, bankWindow.speaker(language)(key))
}
