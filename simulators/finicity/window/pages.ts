import { BankWindow } from '../../kit/pages/bank-window.ts'
import type { Institution } from '../data/institutions.ts'
import type { Link } from '../state.ts'

const bankWindow = new BankWindow(
  { name: 'Data Connect', background: '#f6f3f0', accent: '#8a3a0a', focus: '#1d4f91' },
  {
    sandbox: { en: 'Simulated Mastercard Data Connect, made-up banks', fr: 'Mastercard Data Connect simulé, banques fictives' },
    choose: { en: 'Find your bank', fr: 'Trouvez votre institution financière' },
    fix: { en: 'Your bank asks you to sign in again.', fr: 'Votre institution vous demande d’ouvrir une nouvelle session.' },
    hint: {
      en: 'In this sandbox: any username with the password finbank; with finbank-code a code is asked for.',
      fr: 'Dans ce bac à sable : n’importe quel nom avec le mot de passe finbank ; avec finbank-code, un code est demandé.',
    },
    codeLabel: { en: 'Code from your bank', fr: 'Code reçu de votre institution' },
    expired: { en: 'This link has expired', fr: 'Ce lien est expiré' },
  },
)

export function institutionPage({ language }: Link, action: string, wanted: string, found: readonly Institution[]): string {
  return bankWindow.institutionPage(language, bankWindow.formsAt(language, action), { field: 'institutionId', wanted, found })
}

export function loginPage({ language, fixLoginId, problem }: Link, action: string, bank: string): string {
  const intro = fixLoginId === null ? '' : `<p>${bankWindow.speaker(language)('fix')}</p>`
  const login = { bank, intro, isWrong: problem === 'credentials', username: 'owner', password: 'finbank' }
  return bankWindow.loginPage(language, bankWindow.formsAt(language, action), login)
}

export function codePage({ language, problem }: Link, action: string): string {
  return bankWindow.codePage(language, bankWindow.formsAt(language, action), { isWrong: problem === 'code' })
}

export function accountsPage(
  { language, problem }: Link,
  action: string,
  bank: string,
  accounts: readonly { role: string; name: string }[],
): string {
  return bankWindow.accountsPage(language, bankWindow.formsAt(language, action), { bank, isWrong: problem === 'accounts', accounts })
}

export function messagePage(language: Link['language'], key: 'closed' | 'expired' | 'unknown'): string {
  return bankWindow.page(language, bankWindow.speaker(language)(key))
}
